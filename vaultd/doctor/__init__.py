"""What around the notes would get in the way: the folder, git, the index, leftovers, other programs."""
