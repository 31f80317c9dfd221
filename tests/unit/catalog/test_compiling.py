"""A catalog is read strictly: each complaint names the file, the line and the dotted path."""

import pytest

from vaultd.catalog.compiling import compile_catalog, projected
from vaultd.catalog.definitions import Catalog
from vaultd.catalog.schemas import content_problem

GOOD = """\
search_profiles:
  - name: default
collections:
  - name: profiles
    version: 1
    active: true
    mode: keyed
    search_profile: default
    schema:
      type: object
      required: [text]
      properties:
        text: {type: string}
        level: {type: integer}
    fields:
      level: {path: content.level, type: integer, filter: true}
"""
PACKAGE = "name: crm\nversion: 1.0.0\ncollections: [profiles@1]\nsearch_profiles: [default]\n"


def compiled(text: str, **more: str) -> Catalog:
    return compile_catalog({"c.yaml": text, **{f".vaultd/catalog/packages/{name}.yaml": t for name, t in more.items()}})


def told(catalog: Catalog) -> list[str]:
    return [str(problem) for problem in catalog.problems]


def test_a_sound_catalog_says_what_it_declares():
    catalog = compiled(GOOD, crm=PACKAGE)
    assert told(catalog) == []
    assert catalog.collections["profiles@1"].fields["level"].filter
    assert catalog.packages["crm"].collections == ("profiles@1",)
    assert catalog.resolve("profiles") is catalog.resolve("profiles@1") is catalog.collections["profiles@1"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("mode: keyed", "mode: keyd", "c.yaml:7: collections[0].mode: one of event, keyed, mixed"),
        ("mode: keyed", "mood: keyed", "c.yaml:7: collections[0].mood: no such key"),
        ("version: 1\n", "version: one\n", "c.yaml:5: collections[0].version: a whole number"),
        ("name: profiles", "name: Profiles", "c.yaml:4: collections[0].name: lower-case"),
        ("type: object", "type: array", "c.yaml:10: collections[0].schema.type: the root has `type: object`"),
        ("required: [text]", "required: [level]", "c.yaml:11: collections[0].schema.required: `required` lists text"),
        ("text: {type: string}", "text: {}", "c.yaml:13: collections[0].schema.properties.text: "),
        (
            "level: {type: integer}",
            "level: {type: int}",
            "c.yaml:14: collections[0].schema.properties.level.type: 'int'",
        ),
        ("content.level", "content.mood", "c.yaml:16: collections[0].fields.level.path: the schema declares no"),
        ("type: integer, f", "type: datetime, f", "c.yaml:16: collections[0].fields.level.type: level is integer"),
        ("level: {type: integer}", "entity: {type: string}", "c.yaml:14: collections[0].schema.properties.entity"),
        ("content.level", "level", "c.yaml:16: collections[0].fields.level.path: a path below content."),
        (
            "search_profile: default",
            "search_profile: other",
            "c.yaml:8: collections[0].search_profile: no search profile is called other",
        ),
        ("active: true", "active: false", "c.yaml:6: collections[0].active: 0 versions of profiles are active"),
        ("active: true", "active: true\n    active: true", "c.yaml:7: active: stands on line 6 already"),
        ("collections:", "colections:", "c.yaml:3: colections: no such key"),
        ("mode: keyed", "mode: [", "c.yaml:7: did not find"),
        (
            "{type: integer}",
            "{$ref: 'https://x.example/y'}",
            "c.yaml:14: collections[0].schema.properties.level.$ref: ",
        ),
        (
            "{type: integer}",
            "{$ref: '#/$defs/y'}",
            "c.yaml:14: collections[0].schema.properties.level.$ref: #/$defs/y is",
        ),
        (
            "type: object",
            "type: object\n      allOf: [{$ref: '#'}]",
            "c.yaml:9: collections[0].schema: the schema refers",
        ),
        ("type: object", "type: object\n      $schema: x", "c.yaml:11: collections[0].schema.$schema: x is another"),
        (
            "mode: keyed",
            "mode: keyed\n    text_projection: '{{level'",
            "c.yaml:8: collections[0].text_projection: `{{`",
        ),
        ("mode: keyed", "mode: keyed\n    store: jsonl", "c.yaml:8: collections[0].store: a keyed collection"),
        ("mode: keyed", "mode: event\n    adopt: auto", "c.yaml:8: collections[0].adopt: an event collection"),
        ("name: profiles", "name: con", "c.yaml:4: collections[0].name: it cannot be a folder everywhere"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(old: str, new: str, said: str):
    assert old in GOOD
    catalog = compiled(GOOD.replace(old, new, 1))
    assert not catalog.sound
    assert any(line.startswith(said) for line in told(catalog)), told(catalog)


def test_a_reference_inside_the_schema_and_a_byte_order_mark_are_fine():
    inside = "level: {type: integer}\n        deep: {$ref: '#'}\n        same: {$ref: '#/properties/text'}"
    assert told(compiled("\ufeff" + GOOD.replace("level: {type: integer}", inside))) == []


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        ("2026-01-01T00:00:00Z", True),
        ("2026-01-01t00:00:00.5+01:00", True),
        ("2026-02-30T00:00:00Z", False),
        ("2026-01-01", False),
        ("yesterday", False),
    ],
)
def test_a_time_is_spelled_as_rfc_3339_has_it(value: str, fits: bool):
    schema = {"properties": {"at": {"type": "string", "format": "date-time"}}}
    assert (content_problem(schema, {"at": value}) is None) == fits


def test_a_schema_in_force_that_refers_to_nothing_is_a_problem_and_no_crash():
    found = content_problem({"properties": {"x": {"$ref": "#/$defs/gone"}}}, {"x": 1})
    assert found == ("", "the schema refers to what is not in it: /$defs/gone")


def test_one_catalog_lists_all_that_is_wrong():
    assert len(told(compiled(GOOD.replace("keyed", "x").replace("version: 1", "version: x")))) >= 2


def test_two_active_versions_are_one_too_many():
    second = GOOD.partition("collections:\n")[2].replace("version: 1", "version: 2")
    assert "2 versions of profiles are active" in " ".join(told(compiled(GOOD + second)))


@pytest.mark.parametrize("kind", ["processors", "derivations", "triggers", "views", "artifacts"])
def test_a_kind_that_does_nothing_yet_says_so_and_blocks_nothing(kind: str):
    catalog = compiled(f"{GOOD}{kind}:\n  - name: x\n")
    assert catalog.sound
    assert told(catalog) == [f"c.yaml:17: {kind}: not supported yet: it is kept and does nothing"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("profiles@1", "profiles", "profiles is not exact"),
        ("profiles@1", "profiles@2", "no collection is profiles@2"),
        ("1.0.0", "'1'", "three numbers"),
        ("[default]", "[]", "needs the search profile default"),
    ],
)
def test_a_package_is_closed_and_exact(old: str, new: str, said: str):
    assert said in " ".join(told(compiled(GOOD, crm=PACKAGE.replace(old, new))))


def test_a_projection_makes_the_text_of_properties():
    assert projected("{{who}} pays {{ sum }} EUR", {"who": "Acme", "sum": 5}) == "Acme pays 5 EUR"
    assert projected("{{who}}", {}) is None
