"""The sidecar: operational facts of record that would be miserable as files, in one SQLite file beside the vault."""
