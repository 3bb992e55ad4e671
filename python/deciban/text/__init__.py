"""Text: from words to a classifier."""
