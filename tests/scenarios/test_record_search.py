"""Records in search: what holds, by collection, entity, type and lane, now and then; lines are found like files."""

import time
from collections.abc import Iterable, Iterator, Sequence

import pytest

from tests.scenarios.test_records import HEAD, NEEDS, observe, put
from tests.vaults import Vault
from vaultd.history.objects import Objects
from vaultd.history.repository import Repository
from vaultd.index.mirror import Mirror
from vaultd.judging import blobs
from vaultd.judging.opened import Opened


def found(vault: Vault, *words: str) -> list[str]:
    """Return the texts that a search finds, sorted."""
    return sorted(hit["snippet"] for hit in vault.does("search", "--json", *words).json["hits"])


@pytest.fixture
def desk(vault: Vault) -> Vault:
    put(vault, "pricing was asked for")
    put(vault, "pricing is settled")
    observe(vault, "pricing by mail", "--type", "email")
    observe(vault, "pricing on the phone", "--type", "call", "--store", "jsonl")
    vault.does("record", "event", "visits", "--entity", "globex", "--body", "pricing at their desk", "--store", "jsonl")
    vault.write("pricing.md", "pricing in a note\n")
    return vault


def test_records_are_limited_by_what_they_are(desk: Vault):
    mail, phone, settled, visit = (
        "pricing by mail",
        "pricing on the phone",
        "pricing is settled",
        "pricing at their desk",
    )
    assert found(desk, "pricing", "--in", "records") == [visit, mail, settled, phone]
    assert found(desk, "pricing", "--entity", "acme-corp") == [mail, settled, phone]
    assert found(desk, "pricing", "--collection", "customer_events") == [mail, phone]
    assert found(desk, "pricing", "--collection", "customer_events@2") == []
    assert found(desk, "pricing", "--collection", "visits", "--collection", "customer_profiles@1") == [visit, settled]
    assert found(desk, "pricing", "--type", "call") == [phone]
    assert found(desk, "--entity", "globex") == [visit]
    assert found(desk, "pricing", "--versions", "all", "--entity", "acme-corp") == [
        mail,
        settled,
        phone,
        "pricing was asked for",
    ]
    assert found(desk, "--entity", "globex", "--", "-pricing") == []


def test_a_search_of_one_collection_looks_at_no_other_file(desk: Vault, monkeypatch: pytest.MonkeyPatch):
    """A vault of a hundred thousand records is not gone through for the ten that are asked for."""
    named: list[int] = []

    def counted(mirror: Mirror, numbers: Iterable[int], real=Mirror.named) -> dict[int, str]:
        wanted = [*numbers]
        named.append(len(wanted))
        return real(mirror, wanted)

    monkeypatch.setattr(Mirror, "named", counted)
    monkeypatch.setattr(Mirror, "paths", lambda _mirror: pytest.fail("every path was asked for"))
    assert found(desk, "pricing", "--collection", "customer_profiles") == ["pricing is settled"]
    assert named[0] == 2  # the answer, and the one before it


def test_a_line_is_found_and_shown_like_a_note(desk: Vault):
    (hit,) = desk.does("search", "Phone OR telephone", "--json").json["hits"]
    assert hit["path"].endswith(".jsonl")
    assert (hit["line"], hit["type"], hit["state"]) == (1, "record", "active")
    assert hit["title"] == "customer_events · acme-corp · call"
    assert [hit["snippet"][start:end] for start, end in hit["highlights"]] == ["phone"]
    assert desk.does("search", "pricing phone acme", "--json").json["total"] == 1
    assert desk.does("search", "pricing", "--sort", "created", "--limit", "1", "--json").json["total"] == 5


def test_a_line_is_found_by_what_it_says_and_not_by_how_it_is_spelled(vault: Vault):
    observe(vault, 'one "Größe"\ntwo\tlines', "--store", "jsonl", "--property", "channel=phone")
    for words in ('"grosse"', "grösse two", '"two lines"', "channel phone", "tw*", "linse~"):
        assert len(found(vault, words)) == 1, words
    for words in ("nlines", "dedupe", "text"):
        assert found(vault, words) == [], words


def test_a_corrected_line_is_history(desk: Vault):
    wrong = desk.does("search", "phone", "--json").json["hits"][0]["id"]
    desk.does("record", "correct", wrong, "--body", "pricing by letter")
    assert found(desk, "phone") == []
    assert found(desk, "phone", "--all") == ["pricing on the phone"]
    assert found(desk, "letter") == ["pricing by letter"]


def test_notes_have_tags_and_lines_have_none(desk: Vault):
    ran = desk.does("search", "pricing", "--where", "type = call", "--json").json
    assert (ran["hits"], len(ran["notices"])) == ([], 1)


def test_a_draft_is_found_where_drafts_are_asked_for(desk: Vault):
    for text in ("pricing maybe", "pricing perhaps"):
        desk.does("record", "set", *NEEDS, "--body", text, "--draft")
    assert "pricing perhaps" not in found(desk, "pricing")
    assert found(desk, "pricing", "--status", "draft") == ["pricing perhaps"]
    assert found(desk, "pricing", "--status", "draft", "--versions", "all") == ["pricing maybe", "pricing perhaps"]
    draft = desk.does("search", "perhaps", "--status", "draft", "--json").json["hits"][0]
    assert draft["state"] == "draft"
    desk.does("review", "approve", draft["id"])
    assert found(desk, "pricing", "--status", "draft") == []
    assert found(desk, "perhaps") == ["pricing perhaps"]


def test_what_held_then(desk: Vault):
    time.sleep(1.1 - time.time() % 1)  # times of records are whole seconds
    then = desk.git("log", "-1", "--format=%cd", "--date=format-local:%Y-%m-%dT%H:%M:%SZ", TZ="UTC")
    before = found(desk, "pricing", "--in", "records")
    desk.does("record", "retract", *NEEDS)
    phone = desk.does("search", "phone", "--json").json["hits"][0]["id"]
    desk.does("record", "correct", phone, "--body", "pricing by letter")
    assert "pricing is settled" not in found(desk, "pricing")
    assert found(desk, "pricing", "--as-of", then) == before
    assert found(desk, "pricing", "--entity", "globex", "--as-of", then) == ["pricing at their desk"]
    assert found(desk, "pricing", "--as-of", "2001-01-01") == []


def test_an_edited_record_is_found_by_the_text_on_disk_and_marked(desk: Vault):
    desk.edit(HEAD, "settled", "unclear")
    (hit,) = desk.does("search", "unclear", "--json").json["hits"]
    assert hit["rejected"] == "V402"


def test_half_a_character_is_in_no_record(desk: Vault):
    assert desk.run("search", "--entity", "half \udcff").code == 0


def test_an_index_from_nothing_reads_each_record_once(desk: Vault, monkeypatch: pytest.MonkeyPatch):
    """To judge a record, and to know what history said of it, needs no look at what the index has just read."""
    read: list[str] = []

    def counted(opened: Opened, path: str, real=Opened.read) -> bytes | None:
        read.append(path)
        return real(opened, path)

    stored: list[str] = []

    def asked(_objects: Objects, oids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        stored.extend(oids)
        return iter(())

    monkeypatch.setattr(Opened, "read", counted)
    monkeypatch.setattr(Objects, "read_many", asked)
    with desk.app() as app:
        assert app.rebuild().violations == ()
    files = [path for path in read if path.startswith("records/") and path.endswith(".md")]
    assert len(files) == len(set(files)) == 3
    assert len(stored) == 1  # the first answer, as it was before the second one stamped it


def test_an_index_from_nothing_asks_git_once_what_it_does_to_lines(desk: Vault, monkeypatch: pytest.MonkeyPatch):
    """Whether a filter stands between git and a file is asked for all of them at once: of each it took a process."""
    asked: list[list[str]] = []

    def counted(repo: Repository, paths: Sequence[str], real=blobs.filtered_paths) -> set[str]:
        asked.append([path for path in paths if path.endswith(".jsonl")])
        return real(repo, paths)

    monkeypatch.setattr(blobs, "filtered_paths", counted)
    with desk.app() as app:
        app.rebuild()
    assert [len(lines) for lines in asked if lines] == [2]
