"""Projects: what scopes there are, how they belong together, and which folder of code belongs to which."""

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from vaultd.errors import RejectedError, UsageError
from vaultd.lifecycle.new_names import why_not_made
from vaultd.notes.names import slug as slug_of
from vaultd.state.means import Means
from vaultd.values import dataclass

ISOLATIONS = ("open", "confidential", "sealed")
RESERVED = ("global", "_global", "all")


@dataclass(frozen=True, slots=True)
class Project:
    """A scope for memories, notes and tasks."""

    slug: str
    name: str
    description: str
    parent: str
    isolation: str
    retired_at: str | None
    families: tuple[str, ...]
    repositories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Projects:
    """What is known of projects, and what changes it."""

    means: Means

    def list(self) -> list[Project]:
        """Return all projects by name of their slug."""
        with self.means.database.read() as sql:
            rows = sql.execute("SELECT * FROM projects ORDER BY slug").fetchall()
            return [_project(sql, row) for row in rows]

    def show(self, slug: str) -> Project:
        """Return a project.

        Raises:
            UsageError: no project is called so.
        """
        with self.means.database.read() as sql:
            return _one(sql, slug)

    def add(self, slug: str, name: str = "", description: str = "", parent: str = "") -> Project:
        """Register a project.

        Raises:
            UsageError: it is no slug, or its parent is not there.
            RejectedError: it is there already, also where only upper and lower case differ.
        """
        refuse_slug(slug)

        def change(sql: sqlite3.Connection) -> Project:
            if sql.execute("SELECT 1 FROM projects WHERE lower(slug) = lower(?)", (slug,)).fetchone():
                raise RejectedError(f"the project {slug} is there already", f"vaultd project describe {slug}")
            if parent and not sql.execute("SELECT 1 FROM projects WHERE slug = ?", (parent,)).fetchone():
                raise UsageError(f"no project is called {parent!r}", "register it first")
            now = self.means.now()
            sql.execute(
                "INSERT INTO projects (slug, name, description, parent, created_at, updated_at)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (slug, name or slug, description, parent, now, now),
            )
            return _one(sql, slug)

        return self.means.database.write(change)

    def describe(
        self, slug: str, name: str | None = None, description: str | None = None, parent: str | None = None
    ) -> Project:
        """Say something else about a project; None stays as it is.

        Raises:
            UsageError: it or its parent is not there, or it would be a part of itself.
        """

        def change(sql: sqlite3.Connection) -> Project:
            before = _one(sql, slug)
            above = before.parent if parent is None else parent
            while above:
                if above == slug:
                    raise UsageError(f"{slug} would be a part of itself", "name another parent")
                above = _one(sql, above).parent
            put = "UPDATE projects SET name = ?, description = ?, parent = ?, updated_at = ? WHERE slug = ?"
            said = [
                old if new is None else new
                for new, old in ((name, before.name), (description, before.description), (parent, before.parent))
            ]
            sql.execute(put, (*said, self.means.now(), slug))
            return _one(sql, slug)

        return self.means.database.write(change)

    def retire(self, slug: str) -> Project:
        """Mark a project as closed: it can still be read, and nothing new is put into it by agents."""
        return self._set(slug, retired_at=self.means.now())

    def revive(self, slug: str) -> Project:
        """Open a retired project again."""
        return self._set(slug, retired_at=None)

    def _set(self, slug: str, retired_at: str | None) -> Project:
        def change(sql: sqlite3.Connection) -> Project:
            _one(sql, slug)
            put = "UPDATE projects SET retired_at = ?, updated_at = ? WHERE slug = ?"
            sql.execute(put, (retired_at, self.means.now(), slug))
            return _one(sql, slug)

        return self.means.database.write(change)

    def isolate(self, slug: str, isolation: str) -> Project:
        """Set a project apart from agents of others, or open it again; one that is set apart has no family and no parent.

        `confidential` lets nothing out, `sealed` nothing in either.

        Raises:
            UsageError: there is no such project, or no such isolation.
            RejectedError: others are a part of it.
        """
        if isolation not in ISOLATIONS:
            raise UsageError(f"no isolation is {isolation!r}", "one of " + ", ".join(ISOLATIONS))

        def change(sql: sqlite3.Connection) -> Project:
            _one(sql, slug)
            parts = [row["slug"] for row in sql.execute("SELECT slug FROM projects WHERE parent = ?", (slug,))]
            if isolation != ISOLATIONS[0]:
                if parts:
                    raise RejectedError(
                        f"{', '.join(parts)} is a part of {slug}", "vaultd project describe … --parent ''"
                    )
                sql.execute("DELETE FROM families WHERE project = ?", (slug,))
                sql.execute("UPDATE projects SET parent = '' WHERE slug = ?", (slug,))
            put = "UPDATE projects SET isolation = ?, updated_at = ? WHERE slug = ?"
            sql.execute(put, (isolation, self.means.now(), slug))
            return _one(sql, slug)

        return self.means.database.write(change)

    def apart(self) -> dict[str, str]:
        """Return the projects that are set apart, and how."""
        rows = self.means.database.rows("SELECT slug, isolation FROM projects WHERE isolation <> ?", ISOLATIONS[0])
        return {row["slug"]: row["isolation"] for row in rows}

    def join(self, family: str, slug: str) -> Project:
        """Make a project one of a family: its members see each other's findings."""
        refuse_slug(family)

        def change(sql: sqlite3.Connection) -> Project:
            if (isolation := _one(sql, slug).isolation) != ISOLATIONS[0]:
                raise RejectedError(f"{slug} is {isolation}: it has no family", f"vaultd project isolate {slug} open")
            sql.execute("INSERT OR IGNORE INTO families VALUES (?, ?)", (family, slug))
            return _one(sql, slug)

        return self.means.database.write(change)

    def leave(self, family: str, slug: str) -> Project:
        """Take a project out of a family.

        Raises:
            UsageError: it is none of its members.
        """

        def change(sql: sqlite3.Connection) -> Project:
            _one(sql, slug)
            if not sql.execute("DELETE FROM families WHERE name = ? AND project = ?", (family, slug)).rowcount:
                raise UsageError(f"{slug} is not in the family {family!r}", "vaultd project list shows the families")
            return _one(sql, slug)

        return self.means.database.write(change)

    def map_repository(self, folder: Path, slug: str) -> Project:
        """Say that work in a folder, and below it, belongs to a project, which is registered where it is not yet."""
        refuse_slug(slug)
        place = os.path.realpath(folder)

        def change(sql: sqlite3.Connection) -> Project:
            known = register(sql, self.means, slug)
            put = "INSERT INTO repositories VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET project = excluded.project"
            sql.execute(put, (place, known, self.means.now()))
            return _one(sql, known)

        return self.means.database.write(change)

    def unmap_repository(self, folder: Path) -> None:
        """Forget which project work in a folder belongs to.

        Raises:
            UsageError: nobody has said so.
        """
        # a folder that is gone cannot be followed, and is what one wants to forget
        places = (os.path.realpath(folder), os.path.abspath(folder))  # noqa: PTH100

        def change(sql: sqlite3.Connection) -> None:
            if not sql.execute("DELETE FROM repositories WHERE path IN (?, ?)", places).rowcount:
                raise UsageError(f"{folder} belongs to no project", "vaultd project list shows the folders")

        self.means.database.write(change)

    def refuse_closed(self, slug: str) -> None:
        """Refuse to put something new into a project that takes nothing in.

        Raises:
            UsageError: it is known in another spelling.
            RejectedError: it is retired.
        """
        with self.means.database.read() as sql:
            refuse_closed(sql, slug)

    def know(self, slug: str) -> None:
        """Register a project that something was put into, where it is not known yet; none is none."""
        if slug:
            self.means.database.write(lambda sql: register(sql, self.means, slug))

    def of_folder(self, cwd: str, vault: Path) -> str:
        """Return the project that work in a folder belongs to; a git work tree gets one where it has none.

        Work in the vault itself, and outside every work tree, belongs to none.
        """
        if not cwd.startswith("/"):
            return ""
        place = os.path.realpath(cwd)
        if place == os.path.realpath(vault) or place.startswith(os.path.realpath(vault) + os.sep):
            return ""
        return self.means.database.write(lambda sql: self._of_folder(sql, place))

    def _of_folder(self, sql: sqlite3.Connection, place: str) -> str:
        for folder in (place, *map(str, Path(place).parents)):
            row = sql.execute("SELECT project FROM repositories WHERE path = ?", (folder,)).fetchone()
            if row is not None:
                return str(row["project"])
        root = main_work_tree(Path(place))
        if root is None:
            return ""
        row = sql.execute("SELECT project FROM repositories WHERE path = ?", (str(root),)).fetchone()
        project = str(row["project"]) if row is not None else _fresh_slug(sql, root)
        register(sql, self.means, project, root.name)
        sql.execute("INSERT OR REPLACE INTO repositories VALUES (?, ?, ?)", (str(root), project, self.means.now()))
        return project


def register(sql: sqlite3.Connection, means: Means, slug: str, name: str = "") -> str:
    """Register a project where none of that name is known, whatever its upper and lower case; return what it is called."""
    row = sql.execute("SELECT slug FROM projects WHERE lower(slug) = lower(?)", (slug,)).fetchone()
    if row is not None:
        return str(row["slug"])
    now = means.now()
    put = "INSERT INTO projects (slug, name, created_at, updated_at) VALUES (?, ?, ?, ?)"
    sql.execute(put, (slug, name or slug, now, now))
    return slug


def refuse_closed(sql: sqlite3.Connection, slug: str) -> None:
    """Refuse to put something new into a project that takes nothing in.

    Raises:
        UsageError: it is known in another spelling: on some disks both would be one folder.
        RejectedError: it is retired.
    """
    row = sql.execute("SELECT slug, retired_at FROM projects WHERE lower(slug) = lower(?)", (slug,)).fetchone()
    if row is None:
        return
    if row["slug"] != slug:
        raise UsageError(f"the project {slug!r} is written {row['slug']!r}", f"say {row['slug']}")
    if row["retired_at"] is not None:
        again = f"vaultd project revive {slug} opens it again"
        raise RejectedError(f"the project {slug} was retired on {row['retired_at'][:10]}", again)


def main_work_tree(place: Path) -> Path | None:
    """Return the work tree that a folder lies in, of a linked one its main one; looks at files and runs no git."""
    for folder in (place, *place.parents):
        mark = folder / ".git"
        if mark.is_dir():
            return folder
        if mark.is_file():
            return _linked_to(folder, mark)
    return None


def _linked_to(folder: Path, mark: Path) -> Path:
    try:
        git_dir = (folder / mark.read_text("utf-8").removeprefix("gitdir:").strip()).resolve()
        shared = (git_dir / (git_dir / "commondir").read_text("utf-8").strip()).resolve()
    except (OSError, UnicodeDecodeError):
        return folder
    return shared.parent if shared.name == ".git" else folder


def refuse_slug(slug: str) -> None:
    """Refuse what no project can be called: it is the name of a folder.

    Raises:
        UsageError: with the nearest name that can.
    """
    wrong = "is reserved" if slug.lower() in RESERVED else why_not_made(slug, "")
    if wrong:
        proposal = slug_of(slug)
        better = proposal and proposal != slug and proposal.lower() not in RESERVED
        raise UsageError(f"the project {slug!r} {wrong}", f"say {proposal}" if better else "")


def refuse_project(project: str) -> None:
    """Refuse what no project can be called; none at all is none.

    Raises:
        UsageError: with the nearest name that can.
    """
    if project:
        refuse_slug(project)


def refuse_plan(plan: str) -> None:
    """Refuse what no plan can be called: its slug stands in a tag; none at all is none.

    Raises:
        UsageError: with the nearest name that can.
    """
    wrong = why_not_made(plan, "") if plan else ""
    if wrong:
        raise UsageError(f"the plan {plan[:60]!r} {wrong}", f"say {slug_of(plan)}" if slug_of(plan) else "")


def _fresh_slug(sql: sqlite3.Connection, root: Path) -> str:
    """Return the slug for a work tree: its name's, unless another that is still there has it."""
    wanted = slug_of(root.name) or "project"
    for candidate in _numbered(wanted if wanted not in RESERVED else f"{wanted}-project"):
        paths = sql.execute("SELECT path FROM repositories WHERE project = ?", (candidate,)).fetchall()
        if not any(Path(row["path"]).exists() for row in paths):
            return candidate
    raise AssertionError("numbers do not end")


def _numbered(wanted: str) -> Iterator[str]:
    yield wanted
    number = 2
    while True:
        yield f"{wanted}-{number}"
        number += 1


def _one(sql: sqlite3.Connection, slug: str) -> Project:
    row = sql.execute("SELECT * FROM projects WHERE slug = ?", (slug,)).fetchone()
    if row is None:
        raise UsageError(
            f"no project is called {slug!r}", "vaultd project list shows them; vaultd project add makes one"
        )
    return _project(sql, row)


def _project(sql: sqlite3.Connection, row: sqlite3.Row) -> Project:
    slug = row["slug"]
    families = sql.execute("SELECT name FROM families WHERE project = ? ORDER BY name", (slug,)).fetchall()
    places = sql.execute("SELECT path FROM repositories WHERE project = ? ORDER BY path", (slug,)).fetchall()
    return Project(
        slug,
        row["name"],
        row["description"],
        row["parent"],
        row["isolation"],
        row["retired_at"],
        tuple(one["name"] for one in families),
        tuple(one["path"] for one in places),
    )
