"""Value classes: the same to whoever uses them as those of `dataclasses`, which stand beside them here."""

import copy
import dataclasses
import inspect
import pickle
import subprocess
import sys

import pytest

from vaultd.values import asdict, dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Spot:
    """Where something is."""

    path: str
    line: int = 1
    marks: tuple[str, ...] = ()
    near: list[str] = field(default_factory=list)

    def beside(self) -> "Spot":
        """Return the next line."""
        return replace(self, line=self.line + 1)


@dataclasses.dataclass(frozen=True, slots=True)
class Usual:
    """The same, by the standard library."""

    path: str
    line: int = 1
    marks: tuple[str, ...] = ()
    near: list[str] = dataclasses.field(default_factory=list)


@dataclass(slots=True)
class Count:
    """Something that changes."""

    done: int = 0
    of: int = 0


@dataclass(frozen=True)
class Roomy:
    """A value that may remember what it found."""

    words: tuple[str, ...]
    sure: bool = False


@dataclass(frozen=True, slots=True)
class Nothing:
    """A value without fields."""


@dataclass(frozen=True, slots=True)
class Own:
    """A value that says itself when it is equal."""

    name: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Own) and other.name.lower() == self.name.lower()

    def __hash__(self) -> int:
        return hash(self.name.lower())

    def __repr__(self) -> str:
        return f"<{self.name}>"


def test_fields_are_given_by_place_and_by_name():
    spot = Spot("a.md", marks=("x",))
    assert (spot.path, spot.line, spot.marks, spot.near) == ("a.md", 1, ("x",), [])
    assert Roomy(words=("a",)).sure is False


@pytest.mark.parametrize("made_before", [0, 100])
@pytest.mark.parametrize(
    ("args", "kwargs", "says"),
    [
        ((), {}, r"Word\.__init__\(\) missing 1 required positional argument: 'text'"),
        (("a", 1, 5), {}, r"Word\.__init__\(\) takes from 2 to 3 positional arguments but 4 were given"),
        (("a",), {"nope": 1}, r"Word\.__init__\(\) got an unexpected keyword argument 'nope'"),
        (("a",), {"text": "b"}, r"Word\.__init__\(\) got multiple values for argument 'text'"),
    ],
)
def test_fields_that_do_not_fit_are_refused_as_ever(made_before: int, args, kwargs, says):
    @dataclass(frozen=True, slots=True)
    class Word:
        text: str
        times: int = 1

    for _ in range(made_before):
        Word("x")
    with pytest.raises(TypeError, match=says):
        Word(*args, **kwargs)
    assert (Word("a", times=2).text, Word("a", times=2).times, Word(text="b").times) == ("a", 2, 1)


def test_the_hundredth_value_is_as_the_first():
    spots = [Spot(f"{n}.md", n) for n in range(100)]
    assert [(spot.path, spot.line, spot.near) for spot in spots] == [(f"{n}.md", n, []) for n in range(100)]
    assert len({id(spot.near) for spot in spots}) == 100


def test_a_default_that_is_made_is_made_for_each():
    assert Spot("a.md").near is not Spot("a.md").near


def test_a_default_that_can_change_is_refused():
    with pytest.raises(ValueError, match=r"Shared\.paths"):

        @dataclass(frozen=True, slots=True)
        class Shared:
            paths: list[str] = []  # noqa: RUF012  -- the mistake


@pytest.mark.parametrize("value", [Spot("a.md"), Roomy(("a",))])
def test_a_frozen_value_keeps_its_fields(value: object):
    name = "path" if isinstance(value, Spot) else "words"
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, name, "other")
    with pytest.raises(dataclasses.FrozenInstanceError):
        delattr(value, name)


def test_a_slotted_value_has_room_for_nothing_else():
    assert not hasattr(Spot("a.md"), "__dict__")
    assert hasattr(Roomy(()), "__dict__")
    with pytest.raises(AttributeError):
        Count().more = 1  # type: ignore[attr-defined]


def test_values_are_equal_by_class_and_fields_alone():
    assert Spot("a.md") == Spot("a.md", 1)
    assert Spot("a.md") != Spot("a.md", 2)
    assert Spot("a.md") != Usual("a.md")
    assert Nothing() == Nothing()
    assert Count(1) == Count(1)


def test_equal_values_have_one_hash_and_changing_ones_none():
    assert len({Roomy(("a",)), Roomy(("a",)), Roomy(("b",)), Nothing(), Nothing()}) == 3
    with pytest.raises(TypeError, match="unhashable"):
        hash(Count())


def test_what_a_class_says_itself_stays():
    assert Own("A") == Own("a")
    assert len({Own("A"), Own("a")}) == 1
    assert repr(Own("A")) == "<A>"


def test_it_is_shown_as_dataclasses_show_it():
    assert repr(Spot("a.md", 2)) == repr(Usual("a.md", 2)).replace("Usual", "Spot")


def test_it_is_matched_by_place():
    match Spot("a.md", 3):
        case Spot(path, line):
            assert (path, line) == ("a.md", 3)


def test_a_changing_value_changes():
    count = Count(of=3)
    count.done += 1
    assert count == Count(1, 3)


def test_another_value_differs_in_what_was_named():
    assert Spot("a.md", 4, ("x",)).beside() == Spot("a.md", 5, ("x",))
    with pytest.raises(TypeError, match="nope"):
        replace(Spot("a.md"), nope=1)


def test_values_within_values_become_dictionaries_too():
    nested = Roomy((Spot("a.md", near=["b"]), {"of": [Count(1)]}))  # type: ignore[arg-type]
    assert asdict(nested) == dataclasses.asdict(nested)


def test_the_standard_library_takes_it_for_one_of_its_own():
    spot = Spot("a.md", near=["b"])
    assert dataclasses.is_dataclass(spot)
    assert dataclasses.asdict(spot) == dataclasses.asdict(Usual("a.md", near=["b"]))
    assert [one.name for one in dataclasses.fields(Spot)] == [one.name for one in dataclasses.fields(Usual)]
    assert dataclasses.replace(spot, line=7) == Spot("a.md", 7, near=["b"])
    assert inspect.signature(Spot) == inspect.signature(Usual)


def test_a_dataclass_may_be_derived_from_it():
    @dataclasses.dataclass(frozen=True)
    class Far(Spot):
        away: int = 0

    assert (Far("a.md", away=2).path, Far("a.md", away=2).away) == ("a.md", 2)


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_it_can_be_copied(again):
    assert again(Own("a")) == Own("a")
    assert again(Roomy(("a",))) == Roomy(("a",))
    assert again(Count(1)) == Count(1)


def test_a_value_needs_no_dataclasses():
    said = "import sys; from vaultd.lifecycle.violations import Violation as V; V('V1', 'error', 'a', 1, 'm'); print('dataclasses' in sys.modules)"
    ended = subprocess.run([sys.executable, "-c", said], check=True, capture_output=True, text=True)
    assert ended.stdout == "False\n"
