"""Verbs that change memories; each is one call of a command and one document."""

# ruff: noqa: PLC0415  -- a verb needs its own command, and importing them all takes as long as most of them

from argparse import Namespace
from collections.abc import Callable

from vaultd.cli.change import asked_of, body_of, change, lines_of, seen_by_daemon, time_of, vault_path
from vaultd.cli.outcome import Outcome
from vaultd.cli.reaching import start_of
from vaultd.commands.asking import Asked, Done, as_expected
from vaultd.commands.turns import turn
from vaultd.documents import done_document
from vaultd.errors import UsageError
from vaultd.judging.opened import Opened, opened_vault
from vaultd.lifecycle.places import Place
from vaultd.values import replace


def new(asked: Namespace) -> Outcome:
    """Make a memory."""
    from vaultd.commands.memories.new import new_memory

    body = body_of(asked)
    tags = tuple(tag.strip() for tag in asked.tags.split(",") if tag.strip())

    def run(opened: Opened, how: Asked) -> Done:
        return new_memory(
            opened,
            how,
            place=Place(asked.project, asked.name),
            kind=asked.kind,
            description=asked.description,
            body=body,
            tags=tags,
            supersedes=asked.supersedes,
            reason=asked.reason,
        )

    return change(asked, run)


def supersede(asked: Namespace) -> Outcome:
    """Hand over from one memory to another."""
    from vaultd.commands.memories.supersede import supersede as supersede_memory

    return change(
        asked,
        lambda opened, how: supersede_memory(
            opened, how, asked.old, asked.new, reason=asked.reason, at=time_of(opened, asked.at, how.now)
        ),
    )


def archive(asked: Namespace) -> Outcome:
    """End a memory without a successor."""
    from vaultd.commands.memories.archive import archive as archive_memory

    return change(
        asked,
        lambda opened, how: archive_memory(
            opened, how, asked.ref, reason=asked.reason, at=time_of(opened, asked.at, how.now)
        ),
    )


def restore(asked: Namespace) -> Outcome:
    """Bring an ended memory back."""
    from vaultd.commands.memories.restore import restore as restore_memory

    return change(asked, lambda opened, how: restore_memory(opened, how, asked.ref, reason=asked.reason))


def delete(asked: Namespace) -> Outcome:
    """Delete a memory for good."""
    from vaultd.commands.memories.delete import delete as delete_memory

    if not asked.yes and not asked.dry_run:
        raise UsageError("deleting a memory ends its readable history in the folder", "say --yes, or see --dry-run")
    return change(asked, lambda opened, how: delete_memory(opened, how, asked.ref, reason=asked.reason))


def adopt(asked: Namespace) -> Outcome:
    """Complete hand edits and record them."""
    from vaultd.commands.adopt import adopt as adopt_one

    return _each(asked, adopt_one)


def revert(asked: Namespace) -> Outcome:
    """Put back accepted lifecycle values."""
    from vaultd.commands.revert import revert as revert_one

    return _each(asked, revert_one)


def _each(asked: Namespace, run: Callable[[Opened, Asked, str], Done]) -> Outcome:
    """Change several files, one commit each; the first that fails ends the run and keeps what was done."""
    if asked.expect_hash and len(asked.paths) > 1:
        raise UsageError("--expect-hash is one file's", "name one path with it")
    start = start_of(asked.vault)
    with opened_vault(start) as opened:
        # They are about an edit that was just saved, so there is nobody to wait for.
        how = replace(asked_of(asked), at_once=True)
        with turn(opened, how) as recovered:
            done = [as_expected(run(opened, how, vault_path(opened, path)), how) for path in asked.paths]
    done[0] = replace(done[0], notices=(*recovered, *done[0].notices))
    documents = [done_document(one) for one in done]
    lines = tuple(line for one in done for line in lines_of(one))
    talk = tuple(f"vaultd: {notice}" for one in done for notice in one.notices)
    seen = seen_by_daemon(start, [path for one in done if not one.plan for path in one.paths])
    if len(documents) == 1:
        return Outcome({**documents[0], **seen}, lines, talk=talk)
    return Outcome({"vaultd": 1, "done": documents, **seen}, lines, talk=talk)
