"""Declared designs: which collections there are, what their records must say, which packages are in force."""
