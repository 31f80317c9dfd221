"""Verbs about projects: which there are, how they belong together, which folders of code belong to them."""

from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vaultd.cli.outcome import Outcome
from vaultd.cli.reaching import opened_sidecar, require_started, start_of
from vaultd.commands.project_folders import know_folders
from vaultd.state import documents
from vaultd.state.projects import Project, Projects


def project_list(asked: Namespace) -> Outcome:
    """List projects."""
    with _known(asked) as projects:
        found = projects.list()
    return Outcome(documents.projects_document(found), tuple(line for one in found for line in _lines(one)))


def project_add(asked: Namespace) -> Outcome:
    """Register a project."""
    with opened_sidecar(start_of(asked.vault)) as sidecar:
        project = sidecar.projects.add(asked.slug, asked.name, asked.description, asked.parent)
    return _told(project)


def project_describe(asked: Namespace) -> Outcome:
    """Say something else about a project."""
    with _known(asked) as projects:
        project = projects.describe(asked.slug, asked.name, asked.description, asked.parent)
    return _told(project)


def project_retire(asked: Namespace) -> Outcome:
    """Close a project."""
    with _known(asked) as projects:
        project = projects.retire(asked.slug)
    return _told(project)


def project_revive(asked: Namespace) -> Outcome:
    """Open a retired project again."""
    with _known(asked) as projects:
        project = projects.revive(asked.slug)
    return _told(project)


def project_isolate(asked: Namespace) -> Outcome:
    """Set a project apart, or open it again."""
    with _known(asked) as projects:
        project = projects.isolate(asked.slug, asked.isolation)
    return _told(project)


def project_join(asked: Namespace) -> Outcome:
    """Make a project one of a family."""
    with _known(asked) as projects:
        project = projects.join(asked.family, asked.slug)
    return _told(project)


def project_leave(asked: Namespace) -> Outcome:
    """Take a project out of a family."""
    with _known(asked) as projects:
        project = projects.leave(asked.family, asked.slug)
    return _told(project)


def project_map(asked: Namespace) -> Outcome:
    """Say that work in a folder belongs to a project."""
    with _known(asked) as projects:
        project = projects.map_repository(Path(asked.folder).expanduser(), asked.slug)
    return _told(project)


def project_unmap(asked: Namespace) -> Outcome:
    """Forget which project work in a folder belongs to."""
    with _known(asked) as projects:
        projects.unmap_repository(Path(asked.folder).expanduser())
    return Outcome({"vaultd": 1, "folder": asked.folder}, (f"{asked.folder} belongs to no project any more",))


@contextmanager
def _known(asked: Namespace) -> Iterator[Projects]:
    """Give what is known of projects, those among it that only have a folder so far."""
    start = start_of(asked.vault)
    with opened_sidecar(start) as sidecar:
        know_folders(sidecar.projects, require_started(start)[0])
        yield sidecar.projects


def _told(project: Project) -> Outcome:
    return Outcome(documents.project_document(project), tuple(_lines(project)))


def _lines(project: Project) -> list[str]:
    said = [
        project.isolation if project.isolation != "open" else "",
        f"below {project.parent}" if project.parent else "",
        f"of {', '.join(project.families)}" if project.families else "",
        f"retired {project.retired_at[:10]}" if project.retired_at else "",
    ]
    more = "; ".join(one for one in said if one)
    head = f"{project.slug}  {project.description}".rstrip() + (f"  ({more})" if more else "")
    return [head, *(f"  {place}" for place in project.repositories)]
