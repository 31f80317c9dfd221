"""What Obsidian's settings ask links to look like."""

from pathlib import Path

import pytest

from vaultd.vault.obsidian import LinkForms, link_forms


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("{}", LinkForms()),
        ('{"newLinkFormat":"relative"}', LinkForms("relative", "relative")),
        ('{"newLinkFormat":"absolute","useMarkdownLinks":true}', LinkForms("absolute", "absolute")),
        ('{"useMarkdownLinks":true}', LinkForms(None, "shortest")),
        ('{"newLinkFormat":["relative"],"useMarkdownLinks":"yes"}', LinkForms()),
        ('{"newLinkFormat":"sideways"}', LinkForms()),
        ("[]", LinkForms()),
        ("{", LinkForms()),
    ],
)
def test_settings_say_how_links_are_written_and_broken_ones_say_nothing(tmp_path: Path, text: str, forms: LinkForms):
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / ".obsidian/app.json").write_text(text)
    assert link_forms(tmp_path) == forms


def test_a_vault_without_settings_says_nothing(tmp_path: Path):
    assert link_forms(tmp_path) == LinkForms()
