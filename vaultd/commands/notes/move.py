"""Put notes, other files and folders into another folder."""

from vaultd.commands.asking import Asked, Done
from vaultd.commands.new_paths import Pair, existing, tidy
from vaultd.commands.notes.rename import move_pairs
from vaultd.errors import UsageError
from vaultd.judging.opened import Opened


def move(opened: Opened, asked: Asked, path: str, folder: str, *, reason: str = "") -> Done:
    """Move a file or folder into a folder, which is made where it is missing; every link follows.

    Raises:
        UsageError: nothing is there, or the folder is a file.
        RejectedError: the folder holds such a name.
    """
    old, is_folder = existing(opened, path)
    into = tidy(folder)
    if (opened.root / into).is_file():
        raise UsageError(f"{into} is a file", f"vaultd note rename {old} NEW gives another name")
    name = old.rpartition("/")[2]
    pair = Pair(old, f"{into}/{name}" if into else name, is_folder)
    return move_pairs(opened, asked, [pair], ("moved", "move"), reason)
