"""What memories are, which rules hold, what may happen next; pure."""
