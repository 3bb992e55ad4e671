"""The page of a server: what it classified and why, corrections, and how the filter does."""
