"""Records: what was remembered, which answer a slot has now, and which rules hold."""
