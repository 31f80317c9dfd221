"""What agents of one project see and touch of another: nothing, where a person set a project apart.

A policy, not a lock: a client says of itself in which project it works, and files can be read without us.
"""

from collections.abc import Mapping

from vaultd.errors import RejectedError
from vaultd.lifecycle.places import GLOBAL
from vaultd.values import dataclass

OPEN, SEALED = "open", "sealed"


@dataclass(frozen=True, slots=True)
class Fences:
    """The projects that are set apart, as one of them, or nobody in particular, stands to them."""

    apart: Mapping[str, str]
    """Slug to `confidential` or `sealed`; open ones are not in it."""
    home: str
    """The project of the session that acts, empty for none."""

    def __bool__(self) -> bool:
        return bool(self.apart)

    def reads(self, project: str) -> bool:
        """Say whether something of a project may be shown."""
        if project == self.home:
            return True
        return project not in self.apart and self.apart.get(self.home) != SEALED

    def folders(self, roots: tuple[str, ...]) -> tuple[list[str], list[str]]:
        """Return the only folders below some to look in, none for any, and those not to look in."""
        inside = [f"{root}/{self.home}" for root in roots] if self.apart.get(self.home) == SEALED else []
        return inside, [f"{root}/{project}" for root in roots for project in self.apart if project != self.home]

    def refuse_reading(self, project: str) -> None:
        """Refuse to show something.

        Raises:
            RejectedError: its project, or the session's, is set apart.
        """
        if not self.reads(project):
            raise RejectedError(*self._why(project))

    def refuse_writing(self, project: str) -> None:
        """Refuse to put something new into a project.

        Raises:
            RejectedError: the session's project lets nothing out, or the other one nothing in.
        """
        if project != self.home and (self.home in self.apart or self.apart.get(project) == SEALED):
            raise RejectedError(*self._why(project))

    def refuse_touching(self, project: str) -> None:
        """Refuse to change something that is there.

        Raises:
            RejectedError: it may not be read, or not be written.
        """
        self.refuse_reading(project)
        self.refuse_writing(project)

    def _why(self, project: str) -> tuple[str, str]:
        which = project if project in self.apart else self.home
        return f"the project {which} is {self.apart[which]}", f"only a session of {which} works there, and only there"


def project_at(path: str, folders: tuple[str, ...]) -> str:
    """Return the project whose folder a path lies in, empty for none."""
    for folder in folders:
        project, _, rest = path.removeprefix(f"{folder}/").partition("/")
        if path.startswith(f"{folder}/") and rest and project != GLOBAL:
            return project
    return ""
