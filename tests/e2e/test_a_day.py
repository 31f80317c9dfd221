"""A day: two agents share a plan, collide and divide; one learns, one decides anew; a person breaks a rule and mends it."""

from datetime import UTC, datetime

from tests.daemons import daemon, until
from tests.e2e.clients import over_stdio, play
from tests.vaults import Vault


async def _morning(vault: Vault) -> None:
    async with over_stdio(vault) as ada, over_stdio(vault) as bob:
        await ada.does("session_start", name="ada", project="radio")
        await bob.does("session_start", name="bob", project="radio")
        await ada.does("note_write", title="Autumn repairs", body="First the decoder.", plan="autumn")
        step = await ada.does("tasks_add", title="Mend the decoder", plan="autumn")
        await ada.does("tasks_claim", id=step["id"])
        assert "held by ada" in await bob.refused("tasks_claim", id=step["id"])

        part = await bob.does("tasks_add", title="Measure the clock", plan="autumn")
        await ada.does("tasks_update", id=step["id"], add_depends_on=[part["id"]])
        await bob.does("tasks_claim", id=part["id"])
        clock = {"kind": "gotcha", "description": "The clock drifts five seconds a day", "body": "Measured twice."}
        await bob.does("memory_write", name="clock-drifts", **clock)
        await bob.does("tasks_update", id=part["id"], status="done")
        assert (await ada.does("search", query="clock drifts"))["hits"][0]["path"] == "memory/radio/clock-drifts.md"

        old = {"kind": "decision", "description": "The decoder is set by hand", "body": "Every Monday."}
        await ada.does("memory_write", name="decoder-by-hand", **old)
        new = {"kind": "decision", "description": "The decoder sets itself", "body": "By the radio signal."}
        await ada.does("memory_write", name="decoder-sets-itself", supersedes="radio/decoder-by-hand", **new)
        assert "superseded by" in (await bob.does("memory_read", ref="radio/decoder-by-hand"))["warning"]

        await ada.does("tasks_update", id=step["id"], status="done")
        await ada.does("session_end", findings="The decoder sets itself now.")
        await bob.does("session_end", findings="The clock drifts.", mishaps=["Measured the wrong clock first"])


def test_a_day(vault: Vault) -> None:
    vault.write(".vaultd/config.toml", "commit.quiet = 3600\n")  # a person is slower than any machine
    vault.commit("leave hand edits to those who make them")
    vault.does("hooks", "install")
    with daemon(vault):
        play(lambda: _morning(vault))
        plan = vault.does("plan", "show", "autumn", "--json").json
        assert (plan["plans"][0]["done"], plan["plans"][0]["total"]) == (2, 2)
        assert plan["notes"] == ["notes/radio/autumn-repairs.md"]

        vault.edit("radio/decoder-by-hand", "superseded_by: ", "superseded_by: null # ")
        vault.git("add", "-A")
        vault.git("commit", "-m", "by hand", ok=(1,))
        until(lambda: vault.run("check").code == 1)
        vault.does("revert", "memory/radio/decoder-by-hand.md")
        vault.git("reset", "-q")

        vault.stamp("radio/clock-drifts", at=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}")
        vault.does("adopt", "memory/radio/clock-drifts.md")
        assert vault.errors() == []

    told = [(one["event"], one["actor"]) for one in vault.does("log", "--json").json["entries"]]
    assert told == [
        ("adopted", "person"),
        ("created", "mcp/ada"),
        ("superseded", "mcp/ada"),
        ("created", "mcp/ada"),
        ("created", "mcp/bob"),
        ("created", "mcp/ada"),
    ]
