"""What counts as a word, for notes and for questions alike: pure text in, words out."""

import re
import unicodedata

# Scripts written without spaces: each character is a word, so that any run of them is found as a phrase.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_EACH = re.compile(f"([{_UNSPACED}])")
_PICTURE = re.compile("[\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]")
# The capital first: there are few, so the search seldom has to look around.
_HUMP = re.compile("[A-Z](?<=[a-z][A-Z])")
_HUMPED = re.compile("(?<![A-Za-z0-9])[A-Za-z0-9]*[a-z][A-Z][A-Za-z0-9]*")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_OPENING = "([\"'"
_CLOSING = ".,;:!?)]\"'"
_LEFT = "([{<\"'“‘«*_~`>|!,;:"
_RIGHT = ")]}>\"'”’»*_~`|,;:.?!…"
_FOREIGN = re.compile("[^\x00-\x7f]+")
_ACCENT = re.compile("[\u0300-\u036f]")
_LETTERS = str.maketrans({"ß": "ss", "ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})
_LONGEST = 80


def spaced(text: str) -> str:
    """Return the text composed, with every character of an unspaced script standing alone."""
    if text.isascii():
        return text
    return _EACH.sub(r" \1 ", unicodedata.normalize("NFC", text))


def literals(text: str) -> set[str]:
    """Return the spellings that word splitting would lose: `ask-codex`, `C++`, `node_modules`, `🎯`, parts of `camelCase`."""
    found = {whole for chunk in _odd(text) if (whole := literal(chunk))}
    if _HUMP.search(text):
        found.update(part for word in _HUMPED.findall(text) for part in _camel_parts(word))
    if not text.isascii():
        found.update(_PICTURE.findall(text))
    return found


def _odd(text: str) -> set[str]:
    """Return the chunks that hold more than a word and the punctuation of prose; most of a text is not among them."""
    return {
        chunk for chunk in text.split() if not chunk.isalnum() and not chunk.lstrip(_OPENING).rstrip(_CLOSING).isalnum()
    }


def literal(chunk: str) -> str:
    """Return the chunk as an author would quote it, or nothing where it is a bare word or no word at all."""
    core = chunk.lstrip(_LEFT).rstrip(_RIGHT)
    if core.isalnum() or len(core) > _LONGEST or not any(map(str.isalnum, core)):
        return ""
    return unicodedata.normalize("NFC", core)


def pictures(text: str) -> list[str]:
    """Return the emoji and symbols of the text that can be searched for."""
    return _PICTURE.findall(text)


def _camel_parts(word: str) -> list[str]:
    return [part for part in _PARTS.findall(word) if len(part) > 1] if len(word) <= _LONGEST else []


def folded(text: str) -> str:
    """Return the text in lower case and without accents, close to what the index keeps; lines stay lines."""
    if text.isascii():
        return text.lower()
    return _FOREIGN.sub(_without_accents, text.lower())


def _without_accents(run: re.Match[str]) -> str:
    apart = unicodedata.normalize("NFKD", run[0].translate(_LETTERS))
    # Only the accents of alphabets: the marks of other scripts tell words apart.
    return unicodedata.normalize("NFC", _ACCENT.sub("", apart))
