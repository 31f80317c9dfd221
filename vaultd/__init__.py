"""Keep a folder of Markdown honest, findable and reversible."""

__version__ = "0.1.0"
