"""Everything derived and disposable: the SQLite mirror and the full text."""
