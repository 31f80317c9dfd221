"""What a person keeps for a plugin and no file of the vault holds."""

from vaultd.host.api.line import Line


class SecretStorage:
    """Secrets: settings hold their names, `vaultd plugin secret ID NAME` keeps them on this machine."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def get_secret(self, name: str) -> str | None:
        """Return a secret that is kept for this plugin, None where there is none; the plugin's log never shows it."""
        return self._line.secret("secret", name=name)
