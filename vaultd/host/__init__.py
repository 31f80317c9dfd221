"""Plugins: what they declare, whether they are trusted, and one process for each of them."""
