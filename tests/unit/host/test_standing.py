"""A plugin runs when it is enabled, trusted and compatible; else the list says why not (TR-A to TR-F)."""

import json
from pathlib import Path

import pytest

from vaultd.errors import UsageError
from vaultd.host.enabling import Wanted, load_wanted, save_wanted
from vaultd.host.standing import Standing, standings
from vaultd.host.trees import read_tree
from vaultd.host.trust import Trust, load_trust, save_trust


class Place:
    """A vault's folder and its state folder, with one plugin in the vault."""

    def __init__(self, folder: Path) -> None:
        self.root, self.state = folder / "vault", folder / "state"
        self.plugin = self.add("stale")

    def add(self, id_: str, **changes: object) -> Path:
        folder = self.root / ".vaultd/plugins" / id_
        folder.mkdir(parents=True)
        manifest = {"id": id_, "name": "A", "author": "Ada", "version": "1.0.0", "minAppVersion": "1.0.0"}
        (folder / "manifest.json").write_text(json.dumps({**manifest, "description": "Does it.", **changes}))
        (folder / "main.py").write_text("")
        return folder

    def trust(self) -> None:
        save_wanted(self.root, Wanted().enable("stale"))
        approved = Trust().with_approval("stale", read_tree(self.plugin).hash)
        save_trust(self.state, approved.restrict(False))

    def row(self, id_: str = "stale") -> Standing:
        return next(row for row in standings(self.root, self.state) if row.id == id_)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_nobody_enabled_it(place: Place) -> None:
    assert place.row().state == "disabled"


def test_restricted_mode_is_on_until_somebody_turns_it_off(place: Place) -> None:
    save_wanted(place.root, Wanted().enable("stale"))
    assert (place.row().state, place.row().reason) == ("untrusted", "restricted mode is on; vaultd plugin restrict off")


def test_enabled_and_not_approved(place: Place) -> None:
    place.trust()
    save_trust(place.state, Trust(restricted=False))
    assert place.row().reason == "not approved yet; vaultd plugin approve stale"


def test_enabled_approved_and_compatible(place: Place) -> None:
    place.trust()
    assert (place.row().state, place.row().reason) == ("enabled", "")


def test_tr_a_one_byte_flipped_takes_the_approval_away(place: Place) -> None:
    place.trust()
    (place.plugin / "main.py").write_text("#")
    assert place.row().reason == "changed since it was approved; vaultd plugin approve stale"


def test_tr_b_a_new_file_takes_the_approval_away(place: Place) -> None:
    place.trust()
    (place.plugin / "more.py").write_text("")
    assert place.row().state == "untrusted"


def test_tr_c_saved_data_does_not(place: Place) -> None:
    place.trust()
    (place.plugin / "data.json").write_text("{}")
    assert place.row().state == "enabled"


def test_tr_d_approving_again_gives_it_back(place: Place) -> None:
    place.trust()
    (place.plugin / "main.py").write_text("#")
    place.trust()
    assert place.row().state == "enabled"


def test_tr_f_a_link_out_of_the_tree_is_refused(place: Place) -> None:
    place.trust()
    (place.plugin / "more.py").symlink_to("/etc/hostname")
    assert place.row().state == "untrusted"
    assert "leads out of the plugin" in place.row().reason


def test_an_approval_in_the_vault_counts_for_nothing(place: Place) -> None:
    place.trust()
    (place.state / "trust.json").rename(place.root / ".vaultd/trust.json")
    assert place.row().state == "untrusted"


def test_mf_01_a_manifest_without_an_id_is_listed_under_its_folder(place: Place) -> None:
    place.add("nameless", id=None)
    assert (place.row("nameless").state, place.row("nameless").reason) == (
        "incompatible",
        "manifest.json: id is missing",
    )


def test_mf_03_a_newer_api_is_incompatible(place: Place) -> None:
    place.add("newer", minAppVersion="2.0.0")
    save_wanted(place.root, Wanted().enable("newer"))
    assert place.row("newer").state == "incompatible"


def test_mf_05_the_vaults_own_copy_of_a_shipped_plugin_is_taken_only_when_chosen(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = place.add("link-health")
    (tmp_path / "shipped").mkdir()
    shipped.rename(tmp_path / "shipped/link-health")
    monkeypatch.setattr("vaultd.host.discovery.shipped_folder", lambda: tmp_path / "shipped")
    place.add("link-health")
    save_wanted(place.root, Wanted().enable("link-health"))
    rows = [row for row in standings(place.root, place.state) if row.id == "link-health"]
    assert [(row.found.source, row.state) for row in rows] == [("shipped", "untrusted"), ("vault", "disabled")]
    save_wanted(place.root, Wanted().enable("link-health", "vault"))
    rows = [row for row in standings(place.root, place.state) if row.id == "link-health"]
    assert [row.found.source for row in rows] == ["vault", "shipped"]


@pytest.mark.parametrize(("inside", "state"), [(True, "disabled"), (False, "incompatible")])
def test_mf_09_a_linked_folder_is_followed_only_inside_the_plugins_folder(
    place: Place, tmp_path: Path, *, inside: bool, state: str
) -> None:
    real = place.add("linked").rename(place.root / ".vaultd/plugins/.real" if inside else tmp_path / "real")
    (place.root / ".vaultd/plugins/linked").symlink_to(real)
    assert place.row("linked").state == state


def test_a_wanted_plugin_that_is_not_there_is_listed(place: Place) -> None:
    save_wanted(place.root, Wanted().enable("gone"))
    assert (place.row("gone").state, place.row("gone").reason) == ("incompatible", "it is not there")


def test_keys_of_others_in_plugins_json_stay(place: Place) -> None:
    (place.root / ".vaultd/plugins.json").write_text('{"enabled": [], "theirs": 1}')
    save_wanted(place.root, load_wanted(place.root).enable("stale", required=True))
    said = json.loads((place.root / ".vaultd/plugins.json").read_text())
    assert said == {"enabled": ["stale"], "required": ["stale"], "theirs": 1}


def test_trust_is_read_back_as_it_was_saved(place: Place) -> None:
    save_trust(place.state, Trust(restricted=False, approved={"a": "b"}))
    assert load_trust(place.state) == Trust(restricted=False, approved={"a": "b"})
    assert (place.state / "trust.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("said", ['{"required": "stale"}', '{"enabled": {"stale": true}}', '{"enabled": [5]}'])
def test_a_list_that_is_none_is_not_taken_for_an_empty_one(place: Place, said: str) -> None:
    (place.root / ".vaultd/plugins.json").write_text(said)
    with pytest.raises(UsageError, match="is no list of ids"):
        load_wanted(place.root)


def install(folder: Path, name: str, value: str) -> None:
    """Put a distribution onto Python's path that names a plugin."""
    about = folder / "acme-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[vaultd.plugins]\n{name} = {value}\n")


def test_one_that_is_installed_is_found_by_its_entry_point_and_not_imported(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "site", "acme-tidy", "acme_tidy")
    place.add("acme-tidy").rename(tmp_path / "site/acme_tidy")
    (tmp_path / "site/acme_tidy/__init__.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(tmp_path / "site")
    assert (place.row("acme-tidy").found.source, place.row("acme-tidy").state) == ("installed", "disabled")
    save_wanted(place.root, Wanted().enable("acme-tidy"))
    approved = Trust().with_approval("acme-tidy", read_tree(tmp_path / "site/acme_tidy").hash)
    save_trust(place.state, approved.restrict(False))
    assert place.row("acme-tidy").state == "enabled"


@pytest.mark.parametrize("value", ["acme.tidy", "acme_gone", "acme_tidy:Tidy"])
def test_an_entry_point_that_leads_to_no_plugin_is_listed_with_the_reason(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    install(tmp_path / "site", "tidy", value)
    monkeypatch.syspath_prepend(tmp_path / "site")
    assert place.row("tidy").state == "incompatible"
    assert value in place.row("tidy").reason
