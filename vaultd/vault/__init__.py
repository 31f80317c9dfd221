"""The directory: paths, reading, atomic writing, intents, watching; the only code that touches note files."""
