"""Models as files, whichever they are."""
