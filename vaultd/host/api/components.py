"""What a plugin is made of: parts that load, own what they register, and let go of it together."""

from collections.abc import Awaitable, Callable

from vaultd.errors import UsageError
from vaultd.host.api.registry import Registry, Subscription
from vaultd.values import dataclass


@dataclass(frozen=True, slots=True)
class EventRef:
    """A subscription, to be given to `register_event`."""

    registry: Registry
    subscription: Subscription

    def off(self) -> None:
        """Sign off."""
        if self.subscription in self.registry.subscriptions:
            self.registry.subscriptions.remove(self.subscription)


class Component:
    """A part with a life: `onload` registers, and all that was registered ends with it."""

    def __init__(self) -> None:
        self._children: list[Component] = []
        self._ends: list[Callable[[], object]] = []
        self._registry: Registry | None = None
        """The plugin's, known once it owns the part."""

    async def onload(self) -> None:
        """Register what the part does; be quick, the plugin has five seconds."""

    async def onunload(self) -> None:
        """Release what `register` was not told of."""

    def add_child(self, child: "Component") -> "Component":
        """Own another part: it loads after `onload` of this one and unloads before it."""
        self._children.append(child)
        return child

    def register(self, end: Callable[[], object]) -> None:
        """Have something called when the part unloads."""
        self._ends.append(end)

    def register_event(self, ref: EventRef) -> None:
        """End a subscription with the part."""
        self.register(ref.off)

    def register_interval(self, seconds: float, callback: Callable[[], object]) -> None:
        """Have something called every so many seconds, until the part unloads, while the daemon runs.

        Raises:
            UsageError: no plugin owns the part yet.
        """
        if self._registry is None:
            raise UsageError("a part has no intervals before a plugin owns it", "call it in onload")
        self._registry.add_interval(seconds, self._while_loaded(callback))

    def _while_loaded(self, callback: Callable[[], object]) -> Callable[[], object]:
        ended: list[bool] = []
        self.register(lambda: ended.append(True))
        return lambda: None if ended else callback()

    async def load_all(self) -> None:
        """Load the part and those it owns."""
        await _finished(self.onload())
        for child in self._children:
            child._registry = self._registry  # noqa: SLF001  -- of its own kind
            await child.load_all()

    async def unload_all(self) -> None:
        """Unload those it owns, then the part, then what it registered, the last first."""
        for child in reversed(self._children):
            await child.unload_all()
        await _finished(self.onunload())
        for end in reversed(self._ends):
            end()


async def _finished(made: object) -> None:
    """Wait for what is to be waited for: `async` is easily forgotten where nothing is awaited."""
    if isinstance(made, Awaitable):
        await made
