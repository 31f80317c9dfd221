"""What counts as a word, for notes and for questions alike: pure text in, words out."""

import re
import unicodedata
from collections.abc import Iterator

# Scripts written without spaces: each character is a word, so that any run of them is found as a phrase.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_EACH = re.compile(f"([{_UNSPACED}])")
_PICTURE = re.compile("[\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]")
_HUMPED = re.compile("(?<![A-Za-z0-9])[A-Za-z0-9]*[a-z][A-Z][A-Za-z0-9]*")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_LETTER = re.compile(r"[^\W_]")
# Each begins with the one letter of a shape that is rare in it, and looks back from there.
_SIGN_AT_WORD = re.compile(rb"#(?:(?=[lUa])|(?<=[lUa]#))")
_STOP_IN_WORD = re.compile(rb"\.(?=[lUa])")
_HUMP = re.compile(rb"U(?<=lU)")
_LEFT = "([{<\"'“‘«*_~`>|!,;:"
_RIGHT = ")]}>\"'”’»*_~`|,;:.?!…"
_LOWER, _UPPER = b"abcdefghijklmnopqrstuvwxyz", b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ASCII = bytes(range(128))


def _classes(*classes: tuple[bytes, bytes]) -> bytes:
    """Return a table that turns each byte into the letter of its class, and the rest into blanks."""
    table = bytearray(b" " * 256)
    for members, letter in classes:
        for byte in members:
            table[byte] = letter[0]
    return bytes(table)


# What a byte is to a spelling: part of a word, lower case, upper case or neither, a sign, or a stop that may be a sign.
_SHAPES = _classes(
    (_LOWER, b"l"),
    (_UPPER, b"U"),
    (b"0123456789" + bytes(range(128, 256)), b"a"),
    (b"#@$%&+-/=\\^_~", b"#"),
    (b".:", b"."),
)
_FOREIGN = re.compile("[^\x00-\x7f]+")
# Of Hebrew and Arabic the points, which the same word is mostly written without.
_ACCENT = re.compile("[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u065f\u0670]")
_LETTERS = str.maketrans(
    {"ß": "ss", "ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "ς": "σ"}
)
# What tantivy's own folding leaves as it is: it knows the accents of Latin letters only.
_LEFT_ALONE = re.compile(f"[İςΆΈ-ΐΪ-ΰϊ-ώ\u1f00-\u1fffЁё]|{_ACCENT.pattern}")
_LONGEST = 80


def spaced(text: str) -> str:
    """Return the text composed, every character of an unspaced script alone, without accents that tantivy would keep."""
    if text.isascii():
        return text
    # line by line, since nothing composes across one, and most lines of most notes have nothing to compose
    start = text.rfind("\n", 0, _first_foreign(text)) + 1
    lines = text[start:].split("\n")
    return text[:start] + "\n".join([line if line.isascii() else _spaced_line(line) for line in lines])


def _first_foreign(text: str) -> int:
    """Return where the first letter that is not ASCII stands, as the codec tells it at its own speed."""
    try:
        text.encode("ascii")
    except UnicodeEncodeError as exc:
        return exc.start
    return len(text)


def _spaced_line(line: str) -> str:
    composed = unicodedata.normalize("NFC", line)
    foreign = composed.encode("utf-8", "replace").translate(None, _ASCII).decode()
    if _LEFT_ALONE.search(foreign):
        composed = _LEFT_ALONE.sub(_bare, composed)
    return _EACH.sub(r" \1 ", composed) if _EACH.search(foreign) else composed


def _bare(letter: re.Match[str]) -> str:
    return _ACCENT.sub("", unicodedata.normalize("NFD", letter[0])).replace("ς", "σ")


def literals(text: str) -> set[str]:
    """Return the spellings that word splitting would lose: `ask-codex`, `C++`, `node_modules`, `🎯`, parts of `camelCase`."""
    raw = text.encode("utf-8", "replace")
    # a blank at the end, so that every chunk has one behind it
    shape = raw.translate(_SHAPES) + b" "
    found = {whole for chunk in {*_odd(raw, shape)} if (whole := literal(chunk.decode("utf-8", "replace")))}
    if _HUMP.search(shape):
        found.update(part for _, part in camel_parts(text))
    if len(raw) > len(text):
        found.update(pictures(raw.translate(None, _ASCII).decode()))
    return found


def _odd(raw: bytes, shape: bytes) -> Iterator[bytes]:
    """Yield the chunks that hold a sign beside a letter, some of them twice."""
    for pattern in (_SIGN_AT_WORD, _STOP_IN_WORD):
        end = 0
        for match in pattern.finditer(shape):
            at = match.start()
            if at >= end:
                end = shape.find(b" ", at)
                yield raw[shape.rfind(b" ", 0, at) + 1 : end]


def literal(chunk: str) -> str:
    """Return the chunk as an author would quote it, or nothing where it is a bare word or no word at all."""
    core = chunk.lstrip(_LEFT).rstrip(_RIGHT)
    if core.isalnum() or len(core) > _LONGEST or not _LETTER.search(core):
        return ""
    return core if core.isascii() else unicodedata.normalize("NFC", core)


def is_unspaced(word: str) -> bool:
    """Say whether the word belongs to a script written without spaces."""
    return bool(_EACH.search(word))


def pictures(text: str) -> list[str]:
    """Return the emoji and symbols of the text that can be searched for."""
    return _PICTURE.findall(text)


def camel_parts(text: str) -> Iterator[tuple[int, str]]:
    """Yield the words that words like `camelCase` are made of, with where they stand."""
    for word in _HUMPED.finditer(text):
        if word.end() - word.start() <= _LONGEST:
            for part in _PARTS.finditer(text, *word.span()):
                if part.end() - part.start() > 1:
                    yield part.start(), part[0]


def folded(text: str) -> str:
    """Return the text in lower case and without accents, close to what the index keeps; lines stay lines."""
    if text.isascii():
        return text.lower()
    return _FOREIGN.sub(_without_accents, text.lower())


def _without_accents(run: re.Match[str]) -> str:
    apart = unicodedata.normalize("NFKD", run[0].translate(_LETTERS))
    # Not the marks of every script: those of India, for one, tell words apart.
    return unicodedata.normalize("NFC", _ACCENT.sub("", apart))
