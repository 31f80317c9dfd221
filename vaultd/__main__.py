"""`python -m vaultd` is the command line."""

from vaultd.cli.main import entry

entry()
