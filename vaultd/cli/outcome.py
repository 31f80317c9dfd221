"""What a verb gives the command line to print."""

Document = dict[str, object]


class Outcome:
    """A document for `--json`, the same as text for people, and the exit code.

    No dataclass: to import those takes longer than most answers.
    """

    __slots__ = ("code", "document", "lines", "talk", "verbatim")

    def __init__(
        self,
        document: Document,
        lines: tuple[str, ...] = (),
        code: int = 0,
        talk: tuple[str, ...] = (),
        *,
        verbatim: bool = False,
    ) -> None:
        self.document = document
        self.lines = lines
        self.code = code
        self.talk = talk
        """For stderr: notices, what to do next."""
        self.verbatim = verbatim
        """Print the lines as they are: a note itself, a script, or what was made safe already and holds colours of ours."""
