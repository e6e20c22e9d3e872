"""The same hulls from data frames of any engine, and from files larger than memory."""
