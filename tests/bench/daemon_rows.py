"""Rows about a daemon that watches: how soon it sees, judges and records, what it answers, what it costs."""

import os
import random
import re
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from tests.bench.ground import Ground, Watched, python, run, save, until
from tests.bench.measuring import ROUNDS, Figure, by_wall, in_turns, milliseconds, percentile, took

_SAVES = 20
_EDITS = 10
_QUESTIONS = 100
_IDLE = 20.0
_QUIET = 2.0
"""Seconds: `commit.quiet` is 1 here, and no file of a commit was saved in the last 2."""


def saved(ground: Ground) -> Iterator[Figure]:
    """Save a note and ask until its new word is found, beside bare tantivy taking the same file."""
    files = ground.files()[:: max(1, len(ground.files()) // _SAVES)][:_SAVES]
    bare = [took(partial(ground.bare.replace, file)).wall for file in files]
    with ground.daemon() as daemon:
        spent = [_until_found(daemon, file, f"fresh{number}word") for number, file in enumerate(files)]
    half, most = percentile(spent, 0.5), percentile(spent, 0.95)
    beside = f"bare upsert + commit + reload: {milliseconds(percentile(bare, 0.5))}"
    reached = half <= 0.1 and most <= 0.3
    ours = f"p50 {milliseconds(half)}, p95 {milliseconds(most)}"
    yield Figure("saved → found", ours, beside, "", "p50 ≤ 100 ms, p95 ≤ 300 ms", reached)


def _until_found(daemon: Watched, file: Path, word: str) -> float:
    done = save(file, file.read_text("utf-8") + f"\n{word}\n")
    spent = until(lambda: daemon.finds(word), done)
    time.sleep(0.7)
    return spent


def judged(ground: Ground) -> Iterator[Figure]:
    """End memories by hand and ask until the daemon has judged, then wait until it has committed."""
    ground.clean()
    memories = ground.active()[:_EDITS]
    seen: list[float] = []
    committed: list[float] = []
    with ground.daemon() as daemon:
        for file in memories:
            path = file.relative_to(daemon.root).as_posix()
            head = _head(daemon)
            done = save(file, _ended(file.read_text("utf-8")))
            seen.append(until(_pending(daemon, path), done))
            committed.append(until(_moved(daemon, head), done) - _QUIET)
    half = percentile(seen, 0.5)
    yield Figure("hand edit → judged", f"p50 {milliseconds(half)}", "300 ms quiet", "", "p50 ≤ 700 ms", half <= 0.7)
    half = percentile(committed, 0.5)
    ours = f"p50 {milliseconds(half)} after the wait"
    yield Figure("hand edit → committed", ours, "commit.quiet = 1, last save 2 s ago", "", "≤ 1 s after", half <= 1.0)


def _ended(text: str) -> str:
    now = datetime.now(UTC)
    text = text.replace("\ninvalid_at: null\n", f"\ninvalid_at: {now:%Y-%m-%dT%H:%M:%SZ}\n")
    return text.rstrip("\n") + f"\n\n> Archived on {now:%Y-%m-%d}\n"


def _pending(daemon: Watched, path: str) -> Callable[[], bool]:
    def there() -> bool:
        pending = daemon.ask("status")["pending"]
        return isinstance(pending, list) and any(one["path"] == path for one in pending)

    return there


def _head(daemon: Watched) -> str:
    return (daemon.root / ".git" / "refs" / "heads" / "main").read_text()


def query(ground: Ground) -> Iterator[Figure]:
    """Ask a warm daemon, beside bare tantivy in this process; then once as a process."""
    questions = _questions(ground)
    for words in questions:
        ground.bare.ask(words)
    with ground.daemon() as daemon:
        warm = [took(partial(daemon.ask, "search", query=words)).wall for words in questions]
        warm = [took(partial(daemon.ask, "search", query=words)).wall for words in questions]
        bare = [took(partial(ground.bare.ask, words)).wall for words in questions]
        compared = in_turns(
            lambda: run("search", questions[0], "-C", str(daemon.root)), lambda: python("-c", "pass"), rounds=3 * ROUNDS
        )
    half, most, least = percentile(warm, 0.5), percentile(warm, 0.95), percentile(bare, 0.5)
    reached = half <= 0.004 and most <= 0.012 and half <= least + 0.003
    ours = f"p50 {milliseconds(half)}, p95 {milliseconds(most)}"
    reach = "p50 ≤ 4 ms, p95 ≤ 12 ms, ≤ bare + 3 ms"
    yield Figure("warm query, 1–3 words", ours, f"bare tantivy: p50 {milliseconds(least)}", "", reach, reached)
    yield by_wall("vaultd search, as a process", "python -c pass:", compared, 2.5)


def _questions(ground: Ground) -> list[str]:
    source = random.Random(7)
    files = source.sample(ground.files(), min(_QUESTIONS, len(ground.files())))
    found = []
    for number, file in enumerate(files):
        words = re.findall(r"[a-z]{5,}", file.read_text("utf-8").rpartition("\n---\n")[2])
        found.append(" ".join(source.sample(words, 1 + number % 3)))
    return found


def idle(ground: Ground) -> Iterator[Figure]:
    """Weigh a daemon after a hundred questions, and count what it does when nothing happens."""
    ground.clean()
    questions = _questions(ground)
    with ground.daemon() as daemon:
        for words in questions:
            daemon.ask("search", query=words)
        resident, shared = daemon.kilobytes("Rss") / 1024, daemon.kilobytes("Pss") / 1024
        ours, reached = f"RSS {resident:.0f} MB, PSS {shared:.0f} MB", resident <= 150
        yield Figure("daemon memory, 100 questions asked", ours, "", "", "≤ 150 MB", reached)
        time.sleep(3.0)
        cpu, wakes = daemon.used()
        time.sleep(_IDLE)
        after, woken = daemon.used()
    share = (after - cpu) / _IDLE * 100
    ours = f"{share:.3f} % CPU, {(woken - wakes) / _IDLE:.1f} wake-ups/s"
    yield Figure(f"idle daemon, {_IDLE:.0f} s", ours, f"{os.cpu_count()} cores", "", "< 0.2 % CPU", share < 0.2)


def _moved(daemon: Watched, head: str) -> Callable[[], bool]:
    return lambda: _head(daemon) != head
