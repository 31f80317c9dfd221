"""Judging records: reading them where they lie, and holding them to their rules."""
