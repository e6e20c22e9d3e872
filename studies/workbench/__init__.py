"""What the studies share: data, kept results, progress, and the page that each writes."""
