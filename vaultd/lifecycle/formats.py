"""The version of what the index keeps of lifecycles."""

FORMAT = 2
"""Raised whenever a stored text would be read differently, or judged differently, than it was written."""
