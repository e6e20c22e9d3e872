"""The page about Adams and Hand's four examples: what they published, tables and pictures."""
