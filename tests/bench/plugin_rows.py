"""Rows about plugins: what a process costs to start and to keep, a call, and an event that nobody wants."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from subprocess import PIPE

from tests.bench.ground import Ground
from tests.bench.measuring import Figure, milliseconds, percentile
from tests.besieged import STRANGERS, besieged, trusted
from tests.unit.host.strangers import hosted
from tests.vaults import new_vault
from vaultd.app import open_app
from vaultd.host.hosted import Hosted
from vaultd.plugged.company import Company
from vaultd.plugged.examining import memory_of

_CODE = """
class P(Plugin):
    async def onload(self):
        self.add_command("go", "Go", lambda: None)
"""
_CALLS = 2_000
_EVENTS = 100_000
_FROST = "frost\n"


def plugins(ground: Ground) -> Iterator[Figure]:
    """Start a plugin and call it, beside a bare interpreter and a bare pipe."""
    with tempfile.TemporaryDirectory() as folder:
        started = [_start(Path(folder, str(number))) for number in range(5)]
        plugin = started[-1][1]
        spent, bare = statistics.median(one for one, _ in started), statistics.median(_bare() for _ in range(5))
        share = f"{spent / bare:.1f}"
        yield Figure(
            "plugin: start its process",
            milliseconds(spent),
            f"python -S {milliseconds(bare)}",
            share,
            "≤ 150 ms",
            spent <= 0.15,
        )
        held = memory_of(plugin.pid) / 1000
        yield Figure("plugin: memory of its process", f"{held:.1f} MB", "", "", "≤ 15 MB", held <= 15)
        calls = sorted(_call(plugin) for _ in range(_CALLS))
        middle = statistics.median(calls)
        pipe = _round_trip()
        yield Figure(
            "plugin: one call",
            f"{middle * 1e6:.0f} µs",
            f"a line there and back through pipes {pipe * 1e6:.0f} µs",
            f"{middle / pipe:.1f}",
            "≤ 50 µs",
            middle <= 50e-6,
        )
        for _, one in started:
            one.stop()
    with closing(open_app(ground.vault)) as app:
        company = Company(app)
        each, bare = _each(company.caught), _each(lambda _changed, _removed: None)
        yield Figure(
            "plugin: an event that nobody wants",
            f"{each * 1e9:.0f} ns",
            f"a call that does nothing {bare * 1e9:.0f} ns",
            f"{each / bare:.1f}",
            "≤ 1 µs",
            each <= 1e-6,
        )


def hostile(_ground: Ground) -> Iterator[Figure]:
    """Ask a daemon with twenty plugins that crash, hang, spin and flood, in turns with one that has none."""
    with tempfile.TemporaryDirectory() as folder:
        vault, calm = (new_vault(Path(folder, name)) for name in ("besieged", "calm"))
        for one in (vault, calm):
            one.write("calm.md", _FROST)
        trusted(vault, **STRANGERS)
        with besieged(vault, calm) as siege:
            half, most = percentile(siege.took, 0.5), percentile(siege.took, 0.95)
            least = percentile(siege.beside, 0.5)
            yield Figure(
                f"an answer beside {len(STRANGERS)} hostile plugins",
                f"p50 {milliseconds(half)}, p95 {milliseconds(most)}",
                f"a daemon without any, meanwhile: p50 {milliseconds(least)}",
                f"{half / least:.1f}",
                "p50 ≤ 100 ms",
                half <= 0.1,
            )


def _each(told: Callable[[tuple[str, ...], tuple[str, ...]], None]) -> float:
    began = time.perf_counter()
    for _ in range(_EVENTS):
        told(("a.md",), ())
    return (time.perf_counter() - began) / _EVENTS


def _start(folder: Path) -> tuple[float, Hosted]:
    plugin = hosted(folder, _CODE)
    began = time.perf_counter()
    _ = plugin.registered
    return time.perf_counter() - began, plugin


def _bare() -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-I", "-S", "-c", ""], check=True)
    return time.perf_counter() - began


def _round_trip() -> float:
    """Return the seconds, in the middle, that a bare interpreter takes to give a line back."""
    echo = "import sys, os\nwhile line := sys.stdin.buffer.readline(): os.write(1, line)"
    line = b'{"call":1,"name":"act","args":{"name":"stale:go"}}\n'
    with subprocess.Popen([sys.executable, "-I", "-S", "-c", echo], stdin=PIPE, stdout=PIPE, bufsize=0) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        into, out = child.stdin.fileno(), child.stdout.fileno()
        spent = []
        for _ in range(_CALLS):
            began = time.perf_counter()
            os.write(into, line)
            os.read(out, 1 << 16)
            spent.append(time.perf_counter() - began)
        child.stdin.close()
    return statistics.median(spent)


def _call(plugin: Hosted) -> float:
    began = time.perf_counter()
    plugin.call("act", {"name": "stale:go"}, 1.0)
    return time.perf_counter() - began
