"""What tests share and that is no test: helpers, oracles, stand-ins."""
