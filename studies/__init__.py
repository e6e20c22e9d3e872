"""Studies that repeat experiments of the literature, and others that measure what docs state."""
