"""One small adapter for each contestant, and scripts that say where our own time goes."""
