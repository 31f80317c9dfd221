"""Verbs about properties of notes, one a file."""
