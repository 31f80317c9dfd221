"""Names that commands make: narrower than what a disk may hold, so that every system can check them out."""

import unicodedata

from vaultd.notes.names import unportable

_LONGEST = 255


def why_not_made(name: str, suffix: str = "") -> str:
    """Return why vaultd makes no file or folder of this name, empty where it does."""
    if name != unicodedata.normalize("NFC", name):
        return "is not in Unicode's composed form (NFC)"
    if not name or not all(char.isalnum() or unicodedata.combining(char) or char in "-_." for char in name):
        return "is not made of letters, digits, '-', '_' and '.'"
    if name.startswith(".") or name.endswith("."):
        return "begins or ends with a dot"
    if name.lower().endswith(".md"):
        return "ends in .md, as only the file of a note does"
    if len((name + suffix).encode()) > _LONGEST:
        return f"is longer than {_LONGEST} bytes"
    why = unportable(name + suffix)
    return f"does not travel: {why}" if why else ""
