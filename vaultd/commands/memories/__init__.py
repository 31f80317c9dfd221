"""Verbs about memories, one a file."""
