"""Changes, one verb a file, all through one road: carry_out."""
