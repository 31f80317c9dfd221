"""Verbs about records, one a file, and what they share."""
