"""The files by which history tells where a vault began, and how it was set then."""

MARKER = ".vaultd/vault-id"
CONFIG = ".vaultd/config.toml"
