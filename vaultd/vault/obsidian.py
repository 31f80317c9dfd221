"""What Obsidian's own settings in the vault ask links to look like."""

import json
from pathlib import Path

from vaultd.notes.resolution import Form
from vaultd.values import dataclass

_FORMS: dict[object, Form] = {"shortest": "shortest", "relative": "relative", "absolute": "absolute"}


@dataclass(frozen=True, slots=True)
class LinkForms:
    """How links that are written anew name their file; None where the vault does not say."""

    wiki: Form | None = None
    markdown: Form | None = None


def link_forms(root: Path) -> LinkForms:
    """Return what `.obsidian/app.json` says; a file that is missing or broken says nothing.

    `newLinkFormat` is not in the file while it has its default, `shortest`; with `useMarkdownLinks` Obsidian has
    written the Markdown links itself, so the default holds for them too. Existing links keep their kind, and
    `alwaysUpdateLinks` asks for what a rename by command does in any case.
    """
    try:
        said: object = json.loads((root / ".obsidian" / "app.json").read_bytes())
    except (OSError, ValueError):
        return LinkForms()
    if not isinstance(said, dict):
        return LinkForms()
    asked = said.get("newLinkFormat")
    form = _FORMS.get(asked) if isinstance(asked, str) else None
    own = said.get("useMarkdownLinks") is True
    return LinkForms(form, form or ("shortest" if own else None))
