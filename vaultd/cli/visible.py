"""What stands in notes and names, made safe to print: one line stays one line, and nothing commands the terminal."""

_CONTROLS = (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
"""Control characters, the line ends of Unicode, and what turns the direction of writing around."""
_ESCAPES = {code: repr(chr(code))[1:-1] for code in _CONTROLS}


def visible(text: object) -> str:
    r"""Return a text as a person can read it: a line break in it as `\n`, an escape as `\x1b`; `--json` is exact."""
    written = str(text)
    return written if written.isprintable() else written.translate(_ESCAPES)


def readable(text: str) -> str:
    """Return a text of several lines as a person can read it: its lines and columns stay, all else is as in `visible`."""
    if text.isprintable():
        return text
    return "\n".join("\t".join(map(visible, line.split("\t"))) for line in text.split("\n"))
