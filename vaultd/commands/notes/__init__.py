"""Verbs about notes, one a file."""
