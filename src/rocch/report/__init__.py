"""The report: one typed summary, and its renderings as HTML, Markdown, JSON and text."""
