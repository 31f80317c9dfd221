"""Whatever is asked of the writer, in whatever order, the folder holds what a dictionary would, and nothing else."""

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from vaultd.errors import ConflictError
from vaultd.vault.writing import remove, rename, write

PATHS = st.sampled_from(["n.md", "N.md", "d/n.md", "d/e/ü.md", "d/" + "x" * 250 + ".md"])
BYTES = st.sampled_from([b"", b"a", b"b", b"a\r\n\xff"])
ASKED = st.one_of(
    st.tuples(st.just("write"), PATHS, BYTES, st.none() | BYTES),
    st.tuples(st.just("remove"), PATHS, BYTES),
    st.tuples(st.just("rename"), PATHS, PATHS, BYTES),
)


def in_the_model(model: dict[str, bytes], asked: tuple[object, ...]) -> bool:
    """Do to the dictionary what is asked; False where it must be refused."""
    match asked:
        case ("write", str(path), bytes(new), base):
            if model.get(path) != base:
                return False
            model[path] = new
        case ("remove", str(path), bytes(base)):
            if model.get(path) != base:
                return False
            del model[path]
        case ("rename", str(old), str(new), bytes(base)):
            if model.get(old) != base or (new in model and new != old):
                return False
            model[new] = model.pop(old)
        case _:
            raise AssertionError(asked)
    return True


def on_disk(root: Path, asked: tuple[object, ...]) -> bool:
    try:
        match asked:
            case ("write", str(path), bytes(new), (bytes() | None) as base):
                write(root, path, new, base)
            case ("remove", str(path), bytes(base)):
                remove(root, path, base)
            case ("rename", str(old), str(new), bytes(base)):
                rename(root, old, new, base)
    except ConflictError:
        return False
    return True


@settings(deadline=None, max_examples=60)
@given(st.lists(ASKED, max_size=12))
def test_the_folder_follows_the_model(requests: list[tuple[object, ...]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root, model = Path(folder), dict[str, bytes]()
        for asked in requests:
            assert on_disk(root, asked) == in_the_model(model, asked), asked
            assert {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if not p.is_dir()} == model
