"""What notes hold is listed for people and as one document, without a daemon and with one."""

import json
import threading
from collections.abc import Iterator

import pytest

from tests.vaults import Vault, id_of, memory
from vaultd.app import open_app
from vaultd.cli.reaching import ask_daemon
from vaultd.daemon.loop import Daemon

NOTES = {
    "Top.md": "---\nstatus: open\nup: '[[Sub/Low]]'\n---\n# Top\n## Part\nsee [[Low]] [[Nobody]] #radio\n- [ ] ring Ida 📅 2026-12-01\n",
    "Sub/Low.md": "---\nstatus: done\nrating: 3\n---\n![[pic.png]] [[Top#Part|back]] #radio/live\n- [x] paint\n",
    "Alone.md": "- [/] read [[Nobody|x]]\n",
}


@pytest.fixture
def held(vault: Vault) -> Vault:
    for path, text in NOTES.items():
        vault.write(path, text)
    vault.write("img/pic.png", b"\x89PNG")
    return vault


@pytest.fixture(params=["alone", "daemon"])
def asked(request, held: Vault) -> Iterator[Vault]:
    if request.param == "alone":
        yield held
        return
    ready = threading.Event()
    app = open_app(held.root)
    daemon = Daemon(app, lambda line: ready.set() if line.startswith("ready") else None)
    thread = threading.Thread(target=daemon.run)
    thread.start()
    try:
        assert ready.wait(60)
        yield held
    finally:
        daemon.stop()
        thread.join(60)
        app.close()


def test_links_both_ways(asked: Vault):
    links = asked.does("links", "Top", "--json").json
    assert [(link["target"], link["resolved"], link["property"]) for link in links["links"]] == [
        ("Sub/Low", "Sub/Low.md", "up"),
        ("Low", "Sub/Low.md", None),
        ("Nobody", None, None),
    ]
    back = asked.does("backlinks", "top.md", "--json").json["backlinks"]
    assert [(link["path"], link["line"], link["subpath"], link["display"]) for link in back] == [
        ("Sub/Low.md", 5, "#Part", "back")
    ]
    assert len(asked.does("links", "--json").json["links"]) == 6


def test_what_links_name_and_nobody_wrote_comes_with_its_places(asked: Vault):
    (row,) = asked.does("unresolved", "--json").json["unresolved"]
    assert (row["target"], row["count"]) == ("Nobody", 2)
    assert [place["path"] for place in row["links"]] == ["Alone.md", "Top.md"]
    assert asked.does("unresolved").out == "     2  Nobody  (Alone.md:1)\n"


def test_what_nothing_links_to_is_an_orphan(asked: Vault):
    assert asked.does("orphans").out.splitlines() == ["Alone.md"]


def test_tags_are_counted(asked: Vault):
    assert asked.does("tags", "--json").json["tags"] == [
        {"tag": "#radio", "count": 1, "notes": 1},
        {"tag": "#radio/live", "count": 1, "notes": 1},
    ]


def test_a_property_that_no_note_has_is_told_of(asked: Vault):
    ran = asked.does("properties", "raitng")
    assert (ran.out, ran.err) == ("", "vaultd: no note has a property raitng\n")


def test_tasks_by_status_and_by_date(asked: Vault):
    assert [row["text"] for row in asked.does("tasks", "--json").json["tasks"]] == [
        "read [[Nobody|x]]",
        "paint",
        "ring Ida",
    ]
    assert asked.does("tasks", "--status", "x").out == "Sub/Low.md:6: [x] paint\n"
    assert asked.does("tasks", "--due-before", "2026-12-02").out == "Top.md:8: [ ] ring Ida  due 2026-12-01\n"
    assert asked.does("tasks", "--due-before", "2026-12-01").out == ""


def test_properties_and_the_values_of_one(asked: Vault):
    rows = asked.does("properties", "--json").json["properties"]
    assert {"name": "status", "type": "text", "notes": 2} in rows
    assert asked.does("properties", "STATUS").out.splitlines() == ["Sub/Low.md:2: done", "Top.md:2: open"]


def test_the_outline_has_the_lines_of_the_file(asked: Vault):
    assert asked.does("outline", "Top", "--json").json["headings"] == [
        {"level": 1, "text": "Top", "line": 5},
        {"level": 2, "text": "Part", "line": 6},
    ]


def test_a_limit_cuts_and_says_so(asked: Vault):
    ran = asked.does("links", "--limit", "2")
    assert (len(ran.out.splitlines()), ran.err) == (2, "vaultd: 4 more\n")


def test_reconcile_says_what_changed(asked: Vault):
    asked.does("reconcile")
    asked.write("New.md", "[[Nobody]]")
    document = asked.does("reconcile", "--json").json
    assert document["notes"] == 4
    assert asked.does("unresolved", "--json").json["unresolved"][0]["count"] == 3


def test_a_name_of_two_notes_is_refused_with_both(held: Vault):
    held.write("a/Twin.md", "")
    held.write("b/Twin.md", "")
    ran = held.run("outline", "Twin")
    assert (ran.code, "a/Twin.md, b/Twin.md" in ran.err) == (2, True)


@pytest.mark.parametrize(
    "words", [("outline", "Nowhere"), ("tasks", "--due-before", "soon"), ("tasks", "--status", "xx")]
)
def test_what_makes_no_sense_is_said(held: Vault, words: tuple[str, ...]):
    assert held.run(*words).code == 2


def test_what_a_memory_is_called_is_a_reference_too(held: Vault):
    held.remember("radio/decoder")
    assert held.does("links", "radio/decoder", "--json").json["path"] == "memory/radio/decoder.md"
    assert held.does("links", id_of("decoder")[:12], "--json").json["path"] == "memory/radio/decoder.md"


def test_where_asks_and_a_broken_question_names_its_column(held: Vault):
    assert held.does("search", "--where", "rating >= 3").out.startswith("Sub/Low.md:5:")
    ran = held.run("search", "--where", "rating >")
    assert (ran.code, "column 9" in ran.err) == (2, True)
    assert held.run("search", "paint", "--in", "everything").code == 2


def test_a_search_of_nothing_is_nothing(held: Vault):
    ran = held.does("search", "--json")
    assert (ran.json["hits"], ran.json["notices"]) == ([], ["there is no word to look for"])


def test_the_past_answers_with_its_text(vault: Vault):
    vault.remember("radio/old", body="The lantern is red.")
    day = "2025-02-01T00:00:00Z"
    vault.git("add", "-A")
    vault.git("commit", "-qm", "first", GIT_COMMITTER_DATE=day, GIT_AUTHOR_DATE=day)
    vault.edit("radio/old", "red", "green")
    vault.commit()
    vault.remember("radio/late", body="A lantern too.")
    vault.edit("radio/late", "valid_from: 2025-01-01", "valid_from: 2025-04-01")
    vault.commit()
    vault.does("memory", "archive", "radio/old", "--at", "2025-06-01T00:00:00Z", "--now")
    then = vault.does("search", "lantern", "--as-of", "2025-03-01", "--json").json
    assert [(hit["path"], hit["snippet"]) for hit in then["hits"]] == [("memory/radio/old.md", "The lantern is red.")]
    assert "ranked by the words they have today" in then["notices"][0]
    later = vault.does("search", "lantern", "--as-of", "2025-07-01", "--json").json
    assert [hit["path"] for hit in later["hits"]] == ["memory/radio/late.md"]
    assert vault.run("search", "lantern", "--as-of", "yesterday").code == 2


def test_what_a_command_wrote_is_found_by_the_next_search(asked: Vault):
    words = ("--project", "p", "--kind", "gotcha", "--description", "d", "--body", "The zeppelin lands.")
    made = asked.does("memory", "new", *words, "--name", "ship", "--json").json
    generation = made.get("generation", 1)
    found = asked.does("search", "zeppelin", "--min-generation", str(generation), "--json").json
    assert [hit["path"] for hit in found["hits"]] == ["memory/p/ship.md"]
    assert found["generation"] >= generation
    assert ("generation" in made) is (ask_daemon(asked.root, "status", {}) is not None)


def test_what_was_adopted_is_found_by_the_next_search(asked: Vault):
    for name in ("one", "two"):
        asked.write(f"memory/p/{name}.md", f"The balloon {name} lands.\n")
    made = asked.does("adopt", "memory/p/one.md", "memory/p/two.md", "--json").json
    generation = made.get("generation", 1)
    found = asked.does("search", "balloon", "--min-generation", str(generation), "--json").json
    assert {hit["path"] for hit in found["hits"]} == {"memory/p/one.md", "memory/p/two.md"}
    assert all(hit["id"] for hit in found["hits"])
    assert ("generation" in made) is (ask_daemon(asked.root, "status", {}) is not None)


def test_show_renders_html_without_frontmatter(held: Vault):
    out = held.does("show", "Top", "--html").out
    assert "<h1" in out
    assert "status: open" not in out
    assert json.loads(held.does("show", "Top", "--html", "--json").out)["html"].strip() == out.strip()


def test_bold_needs_a_terminal(held: Vault):
    assert "\x1b" not in held.does("search", "paint").out


def test_links_to_what_was_replaced_are_told_by_check(vault: Vault):
    vault.write("memory/p/old.md", memory("old", project="p"))
    vault.write("memory/p/new.md", memory("new", project="p"))
    vault.write("Plain.md", "[[old]] and [[nowhere]]")
    vault.commit()
    vault.does("memory", "supersede", "p/old", "p/new", "--now")
    rows = vault.does("check", "--json").json["violations"]
    assert [(row["code"], row["path"], row["hint"]) for row in rows] == [
        ("V301", "Plain.md", "write the note, or mend the link"),
        ("V304", "Plain.md", "link to memory/p/new.md"),
    ]


def test_a_generation_that_the_index_never_had_is_told_without_a_daemon(held: Vault):
    found = held.does("search", "ring", "--min-generation", "99", "--json").json
    assert found["total"] == 1
    assert found["notices"] == ["generation 99 is not of this index, which was made again; it has seen every file"]
    assert held.does("search", "ring", "--min-generation", str(found["generation"]), "--json").json["notices"] == []


def test_a_name_that_means_nothing_is_told_to_be_no_note(held: Vault):
    for verb in ("show", "outline", "links", "backlinks"):
        ran = held.run(verb, "nope")
        assert (ran.code, ran.err.splitlines()[0]) == (2, "vaultd: no memory or note is 'nope'")


def test_what_links_to_a_picture_or_a_canvas_is_told(vault: Vault):
    vault.write("A.md", "![[Pic.png]] and [[board.canvas]]\n\n[see](img/Pic.png)\n")
    for file in ("img/Pic.png", "board.canvas", "one/Twin.png", "two/Twin.png"):
        vault.write(file, "{}")
    for ref, links in {"Pic.png": 2, "img/pic.PNG": 2, "[[Pic.png|shown]]": 2, "board.canvas": 1}.items():
        document = vault.does("backlinks", ref, "--json").json
        assert len(document["backlinks"]) == links, ref
    assert "means several files: one/Twin.png, two/Twin.png" in vault.run("backlinks", "Twin.png").err
    assert vault.does("backlinks", "two/Twin.png", "--json").json["backlinks"] == []


@pytest.mark.parametrize(
    "words", [("show", "{}.md"), ("outline", "{}.md"), ("note", "new", "--path", "{}.md", "--body", "x")]
)
def test_a_name_that_no_disk_can_hold_is_a_mistake_of_the_caller(held: Vault, words: tuple[str, ...]):
    ran = held.run(*(word.format("x" * 300) for word in words))
    assert (ran.code, "name this long" in ran.err) == (2, True), ran
