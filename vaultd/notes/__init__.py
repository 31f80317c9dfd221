"""Text to values and back, byte for byte; no disk, no clock."""
