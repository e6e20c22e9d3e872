"""Tables in files of any kind, read in chunks into columns."""
