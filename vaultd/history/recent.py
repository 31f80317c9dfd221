"""What was committed lately, in the words of the commits."""

from dataclasses import dataclass

from vaultd.history.repository import Repository, head_quick


@dataclass(frozen=True, slots=True)
class Said:
    """A commit and its message."""

    oid: str
    message: str

    @property
    def subject(self) -> str:
        """Return the first line of the message."""
        return self.message.lstrip("\n").partition("\n")[0]


def said_since(repo: Repository, since: str) -> list[Said]:
    """Return the commits of HEAD's history from a moment on, newest first; it is anything git's `--since` understands."""
    head = head_quick(repo)
    if head is None:
        return []
    form = ("--no-show-signature", "--encoding=UTF-8", "--format=%H%x00%B%x00")
    fields = repo.git.text("log", f"--since={since}", *form, head, "--").split("\0")
    return [Said(oid.strip(), message) for oid, message in zip(fields[0::2], fields[1::2], strict=False)]
