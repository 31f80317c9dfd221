"""The App as commands; the only place an exception becomes text and an exit code."""
