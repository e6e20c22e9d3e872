"""Pictures: domain objects onto matplotlib axes; no numbers are computed here."""
