"""The command line: one file per command, thin; the work is done elsewhere."""
