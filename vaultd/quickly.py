"""A process that is soon over starts without `inspect`, which `dataclasses` imports for classes without a docstring.

It is a quarter of what such a start takes. `dataclasses` alone is given a stand-in that imports the real one when it is
asked for something; whoever else imports `inspect`, at any time, gets the real one.
"""

import sys
from types import ModuleType


def import_dataclasses() -> None:
    """Import `dataclasses` without what it seldom needs; nothing to do where either is there already."""
    if "dataclasses" in sys.modules or "inspect" in sys.modules:
        return
    stand_in = ModuleType("inspect")
    vars(stand_in)["__getattr__"] = _real
    sys.modules["inspect"] = stand_in
    try:
        import dataclasses  # noqa: F401, PLC0415  -- this is the point
    finally:
        del sys.modules["inspect"]


def _real(name: str) -> object:
    import inspect  # noqa: PLC0415  -- the point, too

    found: object = getattr(inspect, name)
    return found
