"""The sample vault keeps the formats it is there to show; read with plain Python, not with vaultd."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

VAULT = Path(__file__).parents[2] / "sample-vault"
NOTES = sorted(p for p in VAULT.rglob("*.md"))
MEMORIES = sorted(VAULT.glob("memory/*/*.md"))
WORK = sorted(VAULT.glob("notes/*/*.md"))
MEMORY_KEYS = [
    "id",
    "kind",
    "name",
    "description",
    "project",
    "created",
    "updated",
    "valid_from",
    "invalid_at",
    "superseded_by",
    "source_session",
    "model",
    "favorite",
    "tags",
]
WORK_KEYS = [
    "id",
    "title",
    "slug",
    "description",
    "project",
    "created",
    "updated",
    "source_url",
    "model",
    "favorite",
    "tags",
]
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
KINDS = {"constraint", "convention", "runbook", "protocol", "gotcha", "decision", "refuted", "reference", "stage"}

memories = pytest.mark.parametrize("file", MEMORIES, ids=lambda f: f.stem)
managed = pytest.mark.parametrize("file", MEMORIES + WORK, ids=lambda f: f.stem)
notes = pytest.mark.parametrize("file", NOTES, ids=lambda f: f.stem)


def properties(file: Path) -> dict[str, str]:
    """Return the frontmatter with every scalar as its text."""
    _, block, _ = file.read_text(encoding="utf-8").split("---\n", 2)
    return yaml.load(block, Loader=yaml.BaseLoader)


def body(file: Path) -> str:
    return file.read_text(encoding="utf-8").split("---\n", 2)[2]


def moment(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)


def without_code(text: str) -> str:
    return re.sub(
        r"`[^`\n]*`", "", re.sub(r"^ *(?:> ?)*```.*?^ *(?:> ?)*```", "", text, flags=re.MULTILINE | re.DOTALL)
    )


@managed
def test_keys_stand_in_the_order_of_the_format_and_unknown_ones_last(file: Path) -> None:
    order = MEMORY_KEYS if file in MEMORIES else WORK_KEYS
    keys = list(properties(file))
    known = [key for key in keys if key in order]
    assert keys[: len(known)] == known == sorted(known, key=order.index)


@managed
def test_the_id_is_a_ulid_of_the_moment_the_file_was_created(file: Path) -> None:
    found = properties(file)
    assert re.fullmatch(f"[0-7][{CROCKFORD}]{{25}}", found["id"])
    milliseconds = sum(CROCKFORD.index(c) * 32**i for i, c in enumerate(reversed(found["id"][:10])))
    assert milliseconds // 1000 == moment(found["created"]).timestamp()


def test_no_two_files_share_an_id() -> None:
    ids = [properties(file)["id"] for file in MEMORIES + WORK]
    assert len(set(ids)) == len(ids)


@memories
def test_name_and_project_mirror_the_path(file: Path) -> None:
    found = properties(file)
    assert (found["name"], found.get("project", "_global")) == (file.stem, file.parent.name)


@memories
def test_the_description_is_one_line_of_at_most_150_characters(file: Path) -> None:
    assert re.fullmatch(r".{1,150}", properties(file)["description"])


@memories
def test_times_are_in_order_and_past(file: Path) -> None:
    found = properties(file)
    end = moment(found["invalid_at"]) if found["invalid_at"] != "null" else moment(found["updated"])
    assert moment(found["created"]) == moment(found["valid_from"]) <= end <= moment(found["updated"])
    assert moment(found["updated"]) < datetime(2026, 11, 30, tzinfo=UTC)


@memories
def test_the_last_line_says_how_it_ended(file: Path) -> None:
    found, by_id = properties(file), {properties(f)["id"]: f for f in MEMORIES}
    last = body(file).rstrip("\n").rsplit("\n\n", 1)[-1]
    if found["invalid_at"] == "null":
        assert found["superseded_by"] == "null"
        assert not last.startswith(("> Superseded by", "> Archived"))
    elif found["superseded_by"] == "null":
        assert re.fullmatch(rf"> Archived \(.+\) on {found['invalid_at'][:10]}", last)
    else:
        new = by_id[found["superseded_by"]]
        ref = f"{new.parent.name}/{new.stem}"
        assert last == f"> Superseded by {ref} ({found['superseded_by']}) on {found['invalid_at'][:10]}"


def test_one_chain_is_three_long_and_ends_with_an_active_memory() -> None:
    by_id = {properties(f)["id"]: properties(f) for f in MEMORIES}
    chain = [properties(VAULT / "memory/photo-archive/storage-on-usb-disks.md")]
    while chain[-1]["superseded_by"] != "null":
        chain.append(by_id[chain[-1]["superseded_by"]])
    assert [m["name"] for m in chain] == ["storage-on-usb-disks", "storage-on-a-mirror", "storage-layout"]
    assert chain[-1]["invalid_at"] == "null"


def test_every_kind_is_shown() -> None:
    assert {properties(f)["kind"] for f in MEMORIES} == KINDS


@notes
def test_every_wikilink_resolves(file: Path) -> None:
    names = {p.name for p in VAULT.rglob("*")} | {p.stem for p in NOTES}
    for target in re.findall(r"\[\[([^]|#\\]+)", without_code(file.read_text(encoding="utf-8"))):
        assert target in names


@notes
def test_every_heading_or_block_a_link_names_is_there(file: Path) -> None:
    text = without_code(file.read_text(encoding="utf-8"))
    for target, mark, part in re.findall(r"\[\[([^]|#\\]+)#(\^?)([^]|\\]+)", text):
        (other,) = [p for p in NOTES if p.stem == target]
        sought = rf"\^{part}$" if mark else rf"^#+ {re.escape(part)}$"
        assert re.search(sought, other.read_text(encoding="utf-8"), flags=re.MULTILINE)


def test_every_card_of_the_canvas_is_a_file() -> None:
    nodes = json.loads((VAULT / "Photo archive map.canvas").read_text(encoding="utf-8"))["nodes"]
    cards = [node["file"] for node in nodes if node["type"] == "file"]
    assert cards
    assert [card for card in cards if not (VAULT / card).is_file()] == []


def test_nothing_that_obsidian_or_vaultd_make_for_one_copy_is_shipped() -> None:
    made = [p for p in VAULT.rglob("*") if p.name.startswith("workspace") or p.name == ".vaultd"]
    assert made == []
