"""The service that decides: its app, what it remembers and notices, and its page."""
