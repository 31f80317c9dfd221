"""Run a plugin's verb with the words that were typed behind it."""

from collections.abc import Mapping, Sequence

from vaultd.documents import VERSION, Document
from vaultd.errors import PluginError, UsageError
from vaultd.host.hosted import ACT
from vaultd.plugged.plugins import Plugins

Value = str | int | float | bool


def act(plugins: Plugins, verb: str, words: Sequence[str]) -> Document:
    """Return what a plugin's verb gives.

    Raises:
        UsageError: the plugin has no such verb, or no such flag.
        PluginError: it does not run, or failed.
    """
    hosted = plugins.named(verb.partition(":")[0])
    verbs = hosted.registered.get("verbs")
    known = verbs if isinstance(verbs, dict) else {}
    if verb not in known:
        listed = ", ".join(sorted(known)) or "it has none"
        raise UsageError(f"there is no {verb!r}", f"verbs of {hosted.id}: {listed}")
    flags = known[verb]["flags"]
    if "--help" in words:
        return {"vaultd": VERSION, "verb": verb, "result": usage(verb, str(known[verb]["description"]), flags)}
    params = params_of(words, flags)
    try:
        result = hosted.call("act", {"name": verb, "params": params}, ACT)
    except PluginError as exc:
        # who typed the verb need not tell how it failed
        raise PluginError(exc.message, exc.hint) from exc
    if not _is_result(result):
        raise PluginError(f"{verb} gave neither a text nor rows", "a list of objects, a text, or None")
    return {"vaultd": VERSION, "verb": verb, "result": result}


def _is_result(result: object) -> bool:
    return (
        result is None
        or isinstance(result, str)
        or (isinstance(result, list) and all(isinstance(row, dict) for row in result))
    )


def usage(verb: str, description: str, flags: Mapping[str, str]) -> str:
    """Return a verb's help."""
    typed = " ".join(f"[--{name}]" if kind == "bool" else f"[--{name} {kind.upper()}]" for name, kind in flags.items())
    return f"vaultd {verb} {typed}".rstrip() + f"\n\n{description}"


def params_of(words: Sequence[str], flags: Mapping[str, str]) -> dict[str, Value]:
    """Return the values of flags, typed as `--days 3`, `--days=3` or, as in Obsidian, `days=3`.

    Raises:
        UsageError: there is no such flag, or its value does not fit.
    """
    params: dict[str, Value] = {}
    rest = iter(words)
    for word in rest:
        name, given, text = word.removeprefix("--").partition("=")
        kind = flags.get(name)
        if kind is None or not (word.startswith("--") or given):
            raise UsageError(f"{word!r} is no flag here", "flags: " + (", ".join(f"--{f}" for f in flags) or "none"))
        if kind == "bool" and not given:
            params[name] = True
            continue
        value = text if given else next(rest, None)
        if value is None:
            raise UsageError(f"--{name} needs a value")
        params[name] = _typed(name, kind, value)
    return params


def _typed(name: str, kind: str, text: str) -> Value:
    try:
        match kind:
            case "int":
                return int(text)
            case "float":
                return float(text)
            case "bool":
                return {"true": True, "false": False}[text.lower()]
            case _:
                return text
    except (ValueError, KeyError) as exc:
        raise UsageError(f"--{name} {text!r} is no {kind}") from exc
