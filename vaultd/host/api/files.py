"""A note or file of the vault, as a plugin holds it."""

from vaultd.values import dataclass


@dataclass(frozen=True, slots=True)
class TFile:
    """A file by its path; two with one path are the same file."""

    path: str

    @property
    def name(self) -> str:
        """Return the last part of the path."""
        return self.path.rpartition("/")[2]

    @property
    def basename(self) -> str:
        """Return the name without its ending."""
        return self.name.rpartition(".")[0] or self.name

    @property
    def extension(self) -> str:
        """Return the ending, without a dot."""
        before, _, ending = self.name.rpartition(".")
        return ending if before else ""

    @property
    def parent(self) -> str:
        """Return the folder that it lies in, empty for the vault itself."""
        return self.path.rpartition("/")[0]


def path_of(file: "TFile | str") -> str:
    """Return the path that is meant."""
    return file if isinstance(file, str) else file.path
