"""The command line: a command builds a result, which `output` writes; the rest works elsewhere."""
