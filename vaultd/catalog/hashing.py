"""What of a collection is its contract, as a hash: two definitions with one hash read every record alike."""

from hashlib import sha256

from vaultd.catalog.definitions import Collection
from vaultd.lifecycle.records.values import canonical
from vaultd.notes.scalars import Value


def contract_of(collection: Collection) -> dict[str, Value]:
    """Return the part of a collection that decides what a record means."""
    return {
        "name": collection.name,
        "version": collection.version,
        "mode": collection.mode,
        "schema": dict(collection.schema),
        "text_projection": collection.text_projection,
        "fields": {
            name: {"path": f.path, "type": f.type, "filter": f.filter, "sort": f.sort, "project": f.project}
            for name, f in collection.fields.items()
        },
        "required_processors": list(collection.required_processors),
    }


def bindings_of(collection: Collection) -> dict[str, Value]:
    """Return the part that may change at any time and changes no record's meaning."""
    orders: dict[str, Value] = {"adopt": collection.adopt} if collection.adopt != "manual" else {}
    return orders | {
        "active": collection.active,
        "optional_processors": list(collection.optional_processors),
        "search_profile": collection.search_profile,
        "allowed_search_profiles": list(collection.allowed_search_profiles),
        "answerable": collection.answerable,
        "store": collection.store,
    }


def contract_hash(collection: Collection) -> str:
    """Return the hash of the contract alone."""
    return sha256(canonical(contract_of(collection))).hexdigest()


def definition_hash(collection: Collection) -> str:
    """Return the hash of everything but which version is the active one."""
    bindings = {key: value for key, value in bindings_of(collection).items() if key != "active"}
    return sha256(canonical({**contract_of(collection), **bindings})).hexdigest()
