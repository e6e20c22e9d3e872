"""The report for more than two classes: its own question, answer, summary and renderings."""
