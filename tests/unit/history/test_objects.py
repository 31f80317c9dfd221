"""Reading objects."""

import pytest

from tests.git_fixtures import scratch
from vaultd.errors import StorageError
from vaultd.history.objects import Objects, blob_id


def test_a_blob_is_read_by_name_and_by_path(vault):
    vault.commit(a="text\n")
    with Objects(vault.repo) as objects:
        assert objects.read("HEAD:a.md") == b"text\n"
        assert objects.read(vault.git("rev-parse", "HEAD:a.md")) == b"text\n"


@pytest.mark.parametrize("name", ["0" * 40, "nope", "HEAD:gone.md", "", "a\nb", "HEAD:with space.md"])
def test_what_is_not_there_is_none_and_the_next_read_works(vault, name):
    vault.commit(a="text\n")
    with Objects(vault.repo) as objects:
        assert objects.read(name) is None
        assert objects.read("HEAD:a.md") == b"text\n"


@pytest.mark.parametrize("path", ["new\nline.md", "sp ace.md", "tab\there.md", "latin\udce9.md", "-n.md", 'dou"ble.md'])
def test_odd_paths_are_read(vault, path):
    vault.commit(**{path[:-3]: "odd\n"})
    with Objects(vault.repo) as objects:
        assert objects.read(f"HEAD:{path}") == b"odd\n"


def test_an_object_that_comes_later_is_found(vault):
    vault.commit(a="1")
    with Objects(vault.repo) as objects:
        objects.read("HEAD:a.md")
        vault.commit(a="2")
        assert objects.read("HEAD:a.md") == b"2"
        vault.git("gc", "-q", "--prune=now")
        assert objects.read("HEAD~1:a.md") == b"1"


def test_a_process_that_was_killed_is_replaced(vault):
    vault.commit(a="1")
    with Objects(vault.repo) as objects:
        objects.read("HEAD:a.md")
        assert objects._child is not None
        objects._child.kill()
        objects._child.wait()
        assert objects.read("HEAD:a.md") == b"1"


def test_after_closing_it_can_be_used_again(vault):
    vault.commit(a="1")
    objects = Objects(vault.repo)
    objects.read("HEAD:a.md")
    objects.close()
    assert objects.read("HEAD:a.md") == b"1"
    objects.close()


def _many(vault, count: int) -> list[str]:
    vault.commit(**{f"n{number}": f"{number}\n" * 50 for number in range(count)})
    return [vault.git("rev-parse", f"HEAD:n{number}.md") for number in range(count)]


@pytest.mark.parametrize("copies", [1, 30])
def test_many_come_in_the_order_asked_for_without_the_missing(vault, copies):
    oids = [*_many(vault, 3), "0" * 40] * copies
    with Objects(vault.repo) as objects:
        read = list(objects.read_many(oids))
    assert [oid for oid, _ in read] == [oid for oid in oids if oid != "0" * 40]
    assert read[0][1] == b"0\n" * 50


def test_reading_many_can_be_given_up(vault):
    oids = _many(vault, 3) * 5000
    with Objects(vault.repo) as objects:
        reading = objects.read_many(oids)
        next(reading)
        reading.close()
        assert len(list(objects.read_many(oids))) == 15000


def _rot13(vault) -> None:
    vault.git("config", "filter.rot.clean", "tr a-z n-za-m")
    vault.git("config", "filter.rot.smudge", "tr a-z n-za-m")
    vault.write(".gitattributes", "*.md filter=rot\n")


@pytest.mark.parametrize("copies", [1, 40])
def test_the_filtered_form_is_that_of_the_work_tree(below, copies):
    below.top.joinpath(".gitattributes").write_text("*.md filter=rot\n")
    _rot13(below)
    below.commit(a="secret\n\nwords", b="")
    one, two = below.git("rev-parse", "HEAD:my notes/a.md"), below.git("rev-parse", "HEAD:my notes/b.md")
    wanted = [(one, "a.md"), (two, "b.md"), ("0" * 40, "a.md")] * copies
    with Objects(below.repo) as objects:
        assert objects.read(one) == b"frperg\n\njbeqf"
        read = list(objects.read_filtered_many(wanted))
    assert read == [(one, "a.md", b"secret\n\nwords"), (two, "b.md", b"")] * copies


def test_line_ends_come_as_the_work_tree_has_them(vault):
    vault.git("config", "core.autocrlf", "true")
    vault.commit(a="1\r\n2\r\n")
    oid = vault.git("rev-parse", "HEAD:a.md")
    with Objects(vault.repo) as objects:
        assert objects.read(oid) == b"1\n2\n"
        assert objects.read_filtered(oid, "a.md") == b"1\r\n2\r\n"


def test_a_filter_that_fails_is_an_error_not_the_stored_bytes(vault):
    _rot13(vault)
    vault.commit(a="secret")
    vault.git("config", "filter.rot.smudge", "false")
    vault.git("config", "filter.rot.required", "true")
    with Objects(vault.repo) as objects, pytest.raises(StorageError, match=r"a\.md"):
        objects.read_filtered(vault.git("rev-parse", "HEAD:a.md"), "a.md")


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_blob_ids_are_those_of_git(tmp_path, object_format):
    made = scratch(tmp_path / "r", "", f"--object-format={object_format}")
    for data in (b"", b"text\n", bytes(range(256))):
        assert blob_id(data, object_format) == made.git("hash-object", "--stdin", stdin=data)


def test_objects_of_a_sha_256_repository_are_read(tmp_path):
    made = scratch(tmp_path / "r", "", "--object-format=sha256")
    made.commit(a="x")
    oid = blob_id(b"x", "sha256")
    with Objects(made.repo) as objects:
        assert list(objects.read_many([oid] * 20)) == [(oid, b"x")] * 20
