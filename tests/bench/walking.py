"""The floor of a start: every note's stamp by `os.scandir` alone, as a function and as a program."""

import os
import sys


def walk(root: str) -> list[tuple[str, os.stat_result]]:
    """Return every Markdown file below a folder with its stat."""
    found: list[tuple[str, os.stat_result]] = []
    pending = [root]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                elif entry.name.endswith(".md"):
                    found.append((entry.path, entry.stat(follow_symlinks=False)))
    return found


if __name__ == "__main__":
    walk(sys.argv[1])
