"""Secrets that a plugin's process was told: what it prints and what goes wrong in it is written without them."""

from io import TextIOWrapper

SHORTEST = 4
"""Characters of the shortest text that is taken for a secret: a shorter one would be hidden in every other word."""
MARK = "[hidden]"


class Hiding:
    """The secrets that this process knows."""

    def __init__(self) -> None:
        self._texts: list[str] = []

    def add(self, text: str) -> None:
        """Hide a text, and each of its lines, from now on."""
        found = {one for one in (text, *text.splitlines()) if len(one) >= SHORTEST}
        # the longest first: one secret may be the beginning of another
        self._texts = sorted({*self._texts, *found}, key=len, reverse=True)

    def hide(self, text: str) -> str:
        """Return a text with every secret in it replaced."""
        for one in self._texts:
            text = text.replace(one, MARK)
        return text


class Hidden(TextIOWrapper):
    """A stream of text that no secret gets into; for files that are open already and stay so."""

    def __init__(self, number: int, hiding: Hiding) -> None:
        # whoever opened the file closes it
        super().__init__(open(number, "wb", 0, closefd=False), "utf-8", "backslashreplace", write_through=True)  # noqa: SIM115
        self._hiding = hiding

    def write(self, text: str) -> int:
        """Write a text without the secrets in it."""
        super().write(self._hiding.hide(text))
        return len(text)
