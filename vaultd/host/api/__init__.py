"""What authors of plugins import: everything here keeps its name and its meaning within one major version."""

from vaultd.errors import ConflictError, NoteFormatError, PluginError, RejectedError, UsageError, VaultdError
from vaultd.host.api.application import App, Git, Lifecycle, Search
from vaultd.host.api.components import Component, EventRef
from vaultd.host.api.files import TFile
from vaultd.host.api.metadata import CachedMetadata, MetadataCache
from vaultd.host.api.paths import normalize_path, require_api_version
from vaultd.host.api.plugin import Plugin
from vaultd.host.api.problems import Change, Problem
from vaultd.host.api.properties import FrontMatter
from vaultd.host.api.secrets import SecretStorage
from vaultd.host.api.settings import setting
from vaultd.host.api.vault import FileManager, Vault

__all__ = [
    "App",
    "CachedMetadata",
    "Change",
    "Component",
    "ConflictError",
    "EventRef",
    "FileManager",
    "FrontMatter",
    "Git",
    "Lifecycle",
    "MetadataCache",
    "NoteFormatError",
    "Plugin",
    "PluginError",
    "Problem",
    "RejectedError",
    "Search",
    "SecretStorage",
    "TFile",
    "UsageError",
    "Vault",
    "VaultdError",
    "normalize_path",
    "require_api_version",
    "setting",
]
