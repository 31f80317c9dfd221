"""Offsets in a flattened body as lines and columns."""

from bisect import bisect_right
from itertools import accumulate
from operator import add


class Lines:
    """Knows where every line starts; `position` is 1-based, and counts from `first_line` and `first_column`."""

    __slots__ = ("first_column", "first_line", "starts", "text")

    def __init__(self, text: str, first_line: int = 1, first_column: int = 1) -> None:
        self.text = text
        self.first_line = first_line
        self.first_column = first_column
        lengths = [*map(len, text.split("\n"))]
        # each line with its break begins where those before it end
        self.starts: list[int] = [*map(add, accumulate(lengths, initial=0), range(len(lengths)))]

    def index(self, offset: int) -> int:
        """Return which line an offset stands on, from 0."""
        return bisect_right(self.starts, offset) - 1

    def number(self, index: int) -> int:
        """Return the 1-based number of the line with this index."""
        return index + self.first_line

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset."""
        index = bisect_right(self.starts, offset) - 1
        return index + self.first_line, offset - self.starts[index] + (1 if index else self.first_column)

    def column(self, index: int, offset: int) -> int:
        """Return the column of an offset on the line with this index."""
        return offset - self.starts[index] + (1 if index else self.first_column)

    def line(self, index: int) -> str:
        """Return the text of a line, without its line break."""
        return self.text[self.starts[index] : self.end(index)]

    def end(self, index: int) -> int:
        """Return the offset of the line break that ends a line."""
        return self.starts[index + 1] - 1 if index + 1 < len(self.starts) else len(self.text)
