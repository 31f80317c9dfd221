"""Tokens of clients that come over HTTP: one each, told once, kept only as a digest, taken back one by one."""

import hashlib
import hmac
import secrets
import sqlite3
from datetime import timedelta

from vaultd.errors import UsageError
from vaultd.state.means import Means, stored
from vaultd.values import dataclass

_PREFIX = "vaultd_"
_NAME_LONGEST = 60
_NOTED_EVERY = 300.0


@dataclass(frozen=True, slots=True)
class Token:
    """A client's right to come in; the token itself is not in it."""

    id: str
    client: str
    created_at: str
    last_used_at: str | None
    revoked_at: str | None


@dataclass(frozen=True, slots=True)
class Tokens:
    """Who may come in."""

    means: Means

    def create(self, client: str) -> tuple[Token, str]:
        """Make a token for a client and return it with the text that is told this once.

        Raises:
            UsageError: no client can be called so.
        """
        if not client.strip() or len(client) > _NAME_LONGEST or not client.isprintable():
            raise UsageError(f"no client can be called {client[:40]!r}", f"1 to {_NAME_LONGEST} printable characters")
        text = _PREFIX + secrets.token_urlsafe(32)
        row = (self.means.new_id(), client.strip(), _digest(text), self.means.now())
        put = "INSERT INTO tokens (id, client, digest, created_at) VALUES (?, ?, ?, ?)"
        self.means.database.change(put, *row)
        return Token(row[0], row[1], row[3], None, None), text

    def owner_of(self, text: str) -> Token | None:
        """Return the token that a text is, None for none; how long it takes tells nothing about any token."""
        given, found = _digest(text), None
        for row in self.means.database.rows(f"{_SELECT}, digest FROM tokens WHERE revoked_at IS NULL"):
            if hmac.compare_digest(row["digest"], given):
                found = row
        if found is None:
            return None
        values = dict(found)
        del values["digest"]
        return self._used(Token(**values))

    def _used(self, token: Token) -> Token:
        """Note that a token was used, once in a while: not every call is worth a write."""
        before = stored(self.means.clock() - timedelta(seconds=_NOTED_EVERY))
        if token.last_used_at is None or token.last_used_at < before:
            now = self.means.now()
            self.means.database.change("UPDATE tokens SET last_used_at = ? WHERE id = ?", now, token.id)
        return token

    def revoke(self, id_: str) -> Token:
        """Take a token back; whoever has it comes in no more.

        Raises:
            UsageError: no token is called so.
        """
        now = self.means.now()

        def change(sql: sqlite3.Connection) -> Token:
            sql.execute("UPDATE tokens SET revoked_at = COALESCE(revoked_at, ?) WHERE id = ?", (now, id_))
            row = sql.execute(f"{_SELECT} FROM tokens WHERE id = ?", (id_,)).fetchone()
            if row is None:
                raise UsageError(f"no token is {id_!r}", "vaultd mcp --tokens lists them")
            return Token(**dict(row))

        return self.means.database.write(change)

    def list(self) -> list[Token]:
        """Return all tokens, oldest first."""
        return [
            Token(**dict(row)) for row in self.means.database.rows(f"{_SELECT} FROM tokens ORDER BY created_at, id")
        ]


_SELECT = "SELECT id, client, created_at, last_used_at, revoked_at"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
