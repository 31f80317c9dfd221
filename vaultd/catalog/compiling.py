"""The files of a catalog become one value; what is wrong is listed, all of it, and nothing is guessed."""

import re
from collections.abc import Iterator, Mapping

from vaultd.catalog.definitions import Adopt, Catalog, Collection, Field, Mode, Package, Problem, SearchProfile, Store
from vaultd.catalog.reading import Fields, Sheet
from vaultd.catalog.schemas import leaf_type, schema_problem
from vaultd.lifecycle.records.envelope import ENVELOPE, NAME
from vaultd.lifecycle.records.values import PASSED_THROUGH
from vaultd.notes.names import unportable
from vaultd.notes.scalars import Value

NOT_YET = ("processors", "derivations", "triggers", "views", "artifacts", "models", "mcp", "rank_default")
_MODES: tuple[Mode, ...] = ("event", "keyed", "mixed")
_STORES: tuple[Store, ...] = ("file", "jsonl")
_ADOPTS: tuple[Adopt, ...] = ("manual", "auto")
_TYPES = ("string", "number", "integer", "boolean", "datetime")
_EXACT = re.compile(rf"{NAME}@[1-9][0-9]*")
_SEMVER = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?")
_REFERENCE = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")


def compile_catalog(files: Mapping[str, str]) -> Catalog:
    """Return what the files of a catalog declare; `files` is path to text."""
    work = _Compilation()
    for file in sorted(files):
        work.add(Sheet(file, files[file]))
    work.check_together()
    problems = (*(problem for sheet in work.sheets for problem in sheet.problems), *work.problems)
    ordered = sorted(problems, key=lambda problem: (problem.file, problem.line, problem.where))
    return Catalog(work.collections, work.profiles, work.packages, tuple(ordered))


def projected(template: str, content: Mapping[str, Value]) -> str | None:
    """Return the text that a projection makes of properties, None where one is missing."""
    wanted = _REFERENCE.findall(template)
    if any(content.get(name) is None for name in wanted):
        return None
    return _REFERENCE.sub(lambda match: str(content[match[1]]), template)


class _Compilation:
    def __init__(self) -> None:
        self.sheets: list[Sheet] = []
        self.problems: list[Problem] = []
        self.collections: dict[str, Collection] = {}
        self.profiles: dict[str, SearchProfile] = {}
        self.packages: dict[str, Package] = {}
        self.places: dict[str, tuple[Sheet, str]] = {}

    def add(self, sheet: Sheet) -> None:
        self.sheets.append(sheet)
        fields = sheet.mapping(sheet.value, "")
        if "/packages/" in sheet.file and "packages" not in fields:
            self.package(sheet, fields, "")
            return
        for key, read in (
            ("collections", self.collection),
            ("search_profiles", self.profile),
            ("packages", self.package),
        ):
            if key in fields:
                sheet.each(fields.pop(key), key, lambda one, where, read=read: read(sheet, one, where))  # type: ignore[misc]  # bound here
        for key in NOT_YET:
            if fields.pop(key, None) is not None:
                sheet.wrong(key, "not supported yet: it is kept and does nothing", error=False)
        sheet.nothing_left(fields, "")

    def taken(self, sheet: Sheet, name: str, where: str) -> bool:
        if name in self.places:
            first, place = self.places[name]
            sheet.wrong(where, f"{name} is declared in {first.file} ({place}) already")
            return True
        self.places[name] = (sheet, where)
        return False

    def collection(self, sheet: Sheet, fields: Fields, where: str) -> None:
        name = self.name(sheet, fields, where)
        if (why := unportable(name)) is not None and name:
            sheet.wrong(f"{where}.name", f"it cannot be a folder everywhere: {why}")
        schema = sheet.mapping(fields.pop("schema", None), f"{where}.schema")
        found = Collection(
            name=name,
            version=sheet.number(fields, "version", where),
            mode=sheet.one_of(fields, "mode", where, _MODES),
            schema=schema,
            search_profile=sheet.text(fields, "search_profile", where, needed=True) or "",
            active=sheet.truth(fields, "active", where),
            text_projection=sheet.text(fields, "text_projection", where),
            fields=self.fields(sheet, fields, where),
            required_processors=sheet.texts(fields, "required_processors", where),
            optional_processors=sheet.texts(fields, "optional_processors", where),
            allowed_search_profiles=sheet.texts(fields, "allowed_search_profiles", where),
            answerable=sheet.truth(fields, "answerable", where),
            store=sheet.one_of(fields, "store", where, _STORES, "file"),
            adopt=sheet.one_of(fields, "adopt", where, _ADOPTS, "manual"),
        )
        sheet.nothing_left(fields, where)
        self.check_collection(sheet, found, where)
        if not self.taken(sheet, found.contract_name, where):
            self.collections[found.contract_name] = found

    def check_collection(self, sheet: Sheet, found: Collection, where: str) -> None:
        if (problem := schema_problem(found.schema)) is not None:
            sheet.wrong(f"{where}.schema{problem[0]}", problem[1])
        for name, field in found.fields.items() if problem is None else ():
            self.check_field(sheet, found, field, f"{where}.fields.{name}")
        for key in found.properties:
            if key in ENVELOPE or key in PASSED_THROUGH:
                sheet.wrong(f"{where}.schema.properties.{key}", "the key belongs to the envelope or to Obsidian")
        for key in _REFERENCE.findall(found.text_projection or ""):
            if key not in found.properties:
                sheet.wrong(f"{where}.text_projection", f"{key} is no declared property")
        if "{{" in _REFERENCE.sub("", found.text_projection or ""):
            sheet.wrong(f"{where}.text_projection", "`{{` begins no reference, such as {{text}}")
        if found.mode == "keyed" and found.store == "jsonl":
            sheet.wrong(f"{where}.store", "a keyed collection has no events, and answers have files of their own")
        if found.mode == "event" and found.adopt == "auto":
            sheet.wrong(f"{where}.adopt", "an event collection has no answers that could be adopted")
        for key in set(found.required_processors) & set(found.optional_processors):
            sheet.wrong(f"{where}.optional_processors", f"{key} is required already")
        if found.required_processors or found.optional_processors:
            sheet.wrong(where, "processors are not supported yet: its records are ready at once", error=False)

    def check_field(self, sheet: Sheet, found: Collection, field: Field, where: str) -> None:
        """Refuse a field that names no property, or one of another type: a search by it would find nothing."""
        if not field.path.startswith("content."):
            return
        path = field.path.removeprefix("content.")
        declared = leaf_type(found.schema, path)
        if declared is None:
            sheet.wrong(f"{where}.path", f"the schema declares no property {path}")
        elif declared != field.type:
            sheet.wrong(f"{where}.type", f"{path} is {declared} in the schema, not {field.type}")

    def fields(self, sheet: Sheet, fields: Fields, where: str) -> dict[str, Field]:
        found: dict[str, Field] = {}
        for name, value in sheet.mapping(fields.pop("fields", None), f"{where}.fields").items():
            place = f"{where}.fields.{name}"
            one = sheet.mapping(value, place)
            path = sheet.text(one, "path", place, needed=True) or ""
            if not path.startswith(("content.", "annotations.")):
                sheet.wrong(f"{place}.path", "a path below content. or annotations. is needed here")
            found[name] = Field(
                path,
                self.field_type(sheet, one, place),
                sheet.truth(one, "filter", place),
                sheet.truth(one, "sort", place),
                sheet.truth(one, "project", place),
            )
            sheet.nothing_left(one, place)
        return found

    def field_type(self, sheet: Sheet, one: Fields, place: str) -> str:
        value = one.get("type")
        if isinstance(value, list) and len(value) == 1 and value[0] in _TYPES:
            del one["type"]
            if one.get("sort") is True:
                sheet.wrong(f"{place}.sort", "a list cannot be sorted by")
            return f"[{value[0]}]"
        return sheet.one_of(one, "type", place, _TYPES)

    def profile(self, sheet: Sheet, fields: Fields, where: str) -> None:
        name = self.name(sheet, fields, where)
        if not self.taken(sheet, f"search profile {name}", where):
            self.profiles[name] = SearchProfile(name, fields)

    def package(self, sheet: Sheet, fields: Fields, where: str) -> None:
        name = self.name(sheet, fields, where)
        version = sheet.text(fields, "version", where, needed=True) or ""
        if version and _SEMVER.fullmatch(version) is None:
            sheet.wrong(f"{where}.version", "three numbers are needed here, such as 1.2.0")
        listed = sheet.texts(fields, "collections", where)
        for ref in listed:
            if _EXACT.fullmatch(ref) is None:
                sheet.wrong(f"{where}.collections", f"{ref} is not exact: write NAME@VERSION")
        profiles = sheet.texts(fields, "search_profiles", where)
        others = tuple(key for key in ("processors", "derivations", "triggers", "views", "artifacts") if key in fields)
        for key in (*others, "optional_search_profiles", "mcp", "retentions"):
            if fields.pop(key, None) is not None:
                sheet.wrong(f"{where}.{key}".lstrip("."), "not supported yet: it does nothing", error=False)
        sheet.nothing_left(fields, where)
        if not self.taken(sheet, f"package {name}", where):
            self.packages[name] = Package(name, version, listed, profiles, others)

    def name(self, sheet: Sheet, fields: Fields, where: str) -> str:
        name = sheet.text(fields, "name", where, needed=True) or ""
        if name and re.fullmatch(NAME, name) is None:
            sheet.wrong(f"{where}.name".lstrip("."), "lower-case letters, digits, `.`, `_` and `-` are allowed")
        return name

    # What only all files together can tell -----------------------------------------------------------------------------

    def check_together(self) -> None:
        for name in dict.fromkeys(one.name for one in self.collections.values()):
            versions = [one for one in self.collections.values() if one.name == name]
            active = [one for one in versions if one.active]
            if len(active) != 1:
                self.wrong(
                    versions[-1].contract_name, "active", f"{len(active)} versions of {name} are active, one has to be"
                )
        for one in self.collections.values():
            named = [("search_profile", one.search_profile)]
            named += [("allowed_search_profiles", profile) for profile in one.allowed_search_profiles]
            for key, profile in named:
                if profile and profile not in self.profiles:
                    self.wrong(one.contract_name, key, f"no search profile is called {profile}")
        for package in self.packages.values():
            for key, problem in self.open_ends(package):
                self.wrong(f"package {package.name}", key, problem)

    def open_ends(self, package: Package) -> Iterator[tuple[str, str]]:
        for ref in package.collections:
            collection = self.collections.get(ref)
            if collection is None:
                yield "collections", f"no collection is {ref}"
            elif collection.search_profile not in package.search_profiles:
                needed = f"{ref} needs the search profile {collection.search_profile}, and the package does not list it"
                yield "search_profiles", needed
        for name in package.search_profiles:
            if name not in self.profiles:
                yield "search_profiles", f"no search profile is called {name}"

    def wrong(self, name: str, key: str, what: str) -> None:
        sheet, where = self.places[name]
        sheet.wrong(f"{where}.{key}".lstrip("."), what)
