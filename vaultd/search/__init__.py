"""Questions in, answers out."""
