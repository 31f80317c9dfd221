"""The tables of `state.db`, as the steps that lead from one version to the next; a step never changes once released."""

FILE = "state.db"
APPLICATION = 0x76617564
"""Marks the file as vaultd's, for `file` and for us."""

_FIRST = """
CREATE TABLE projects (
  slug TEXT PRIMARY KEY, name TEXT NOT NULL, description TEXT NOT NULL DEFAULT '', parent TEXT NOT NULL DEFAULT '',
  isolation TEXT NOT NULL DEFAULT 'open' CHECK (isolation IN ('open', 'confidential', 'sealed')),
  favorite INTEGER NOT NULL DEFAULT 0, retired_at TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL) STRICT;
CREATE TABLE families (name TEXT NOT NULL, project TEXT NOT NULL, PRIMARY KEY (name, project)) STRICT;
CREATE TABLE repositories (path TEXT PRIMARY KEY, project TEXT NOT NULL, updated_at TEXT NOT NULL) STRICT;
CREATE TABLE sessions (
  id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, project TEXT NOT NULL DEFAULT '',
  status TEXT NOT NULL CHECK (status IN ('active', 'completed', 'expired')), findings TEXT NOT NULL DEFAULT '',
  client TEXT NOT NULL DEFAULT '', external_id TEXT NOT NULL DEFAULT '', connection TEXT NOT NULL DEFAULT '',
  cwd TEXT NOT NULL DEFAULT '', source TEXT NOT NULL DEFAULT '', model TEXT NOT NULL DEFAULT '',
  ambient INTEGER NOT NULL DEFAULT 0, favorite INTEGER NOT NULL DEFAULT 0, metadata TEXT NOT NULL DEFAULT '{}',
  input_tokens INTEGER NOT NULL DEFAULT 0, output_tokens INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL, ended_at TEXT) STRICT;
CREATE INDEX sessions_status ON sessions (status, updated_at);
CREATE INDEX sessions_connection ON sessions (connection) WHERE connection <> '';
CREATE UNIQUE INDEX sessions_ambient ON sessions (client, external_id)
  WHERE ambient = 1 AND client <> '' AND external_id <> '';
CREATE TABLE tasks (
  id TEXT PRIMARY KEY, project TEXT NOT NULL DEFAULT '', plan TEXT NOT NULL DEFAULT '', title TEXT NOT NULL,
  body TEXT NOT NULL DEFAULT '', status TEXT NOT NULL CHECK (status IN ('open', 'in_progress', 'done', 'dropped')),
  created_by TEXT NOT NULL DEFAULT '', claimed_by TEXT NOT NULL DEFAULT '', lease_expires_at TEXT,
  favorite INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, closed_at TEXT) STRICT;
CREATE INDEX tasks_queue ON tasks (project, plan, status, created_at);
CREATE INDEX tasks_claims ON tasks (claimed_by) WHERE claimed_by <> '';
CREATE TABLE task_deps (
  task TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
  depends_on TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE, PRIMARY KEY (task, depends_on)) STRICT;
CREATE INDEX task_deps_back ON task_deps (depends_on);
CREATE TABLE trials (
  id TEXT PRIMARY KEY, lab TEXT NOT NULL, title TEXT NOT NULL, changes TEXT NOT NULL DEFAULT '',
  expected TEXT NOT NULL DEFAULT '', actual TEXT NOT NULL DEFAULT '', outcome TEXT NOT NULL DEFAULT '',
  metrics TEXT NOT NULL DEFAULT '{}', session TEXT NOT NULL DEFAULT '', project TEXT NOT NULL DEFAULT '',
  favorite INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL) STRICT;
CREATE TABLE proposals (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, key TEXT NOT NULL, payload TEXT NOT NULL DEFAULT '{}',
  status TEXT NOT NULL CHECK (status IN ('pending', 'applied', 'dismissed', 'hidden')), result TEXT,
  created_at TEXT NOT NULL, resolved_at TEXT, UNIQUE (kind, key)) STRICT;
CREATE TABLE artifact_uses (
  id TEXT PRIMARY KEY, artifact TEXT NOT NULL, item TEXT NOT NULL DEFAULT '', session TEXT NOT NULL DEFAULT '',
  outcome TEXT NOT NULL DEFAULT '', payload TEXT NOT NULL DEFAULT '{}', created_at TEXT NOT NULL) STRICT;
CREATE TABLE cursors (name TEXT PRIMARY KEY, value TEXT NOT NULL, updated_at TEXT NOT NULL) STRICT;
CREATE TABLE activity (
  id TEXT PRIMARY KEY, at TEXT NOT NULL, kind TEXT NOT NULL, session TEXT NOT NULL DEFAULT '',
  project TEXT NOT NULL DEFAULT '', item TEXT NOT NULL DEFAULT '', payload TEXT NOT NULL DEFAULT '{}') STRICT;
CREATE INDEX activity_at ON activity (at);
CREATE INDEX activity_item ON activity (item) WHERE item <> '';
CREATE TABLE activity_days (
  day TEXT NOT NULL, kind TEXT NOT NULL, project TEXT NOT NULL, number INTEGER NOT NULL,
  PRIMARY KEY (day, kind, project)) STRICT;
CREATE TABLE retrieval (
  item TEXT PRIMARY KEY, injected INTEGER NOT NULL DEFAULT 0, read INTEGER NOT NULL DEFAULT 0,
  last_injected_at TEXT, last_read_at TEXT, utility REAL NOT NULL DEFAULT 0.0,
  components TEXT NOT NULL DEFAULT '{}') STRICT;
CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL, updated_at TEXT NOT NULL) STRICT;
CREATE TABLE jobs (
  kind TEXT NOT NULL, key TEXT NOT NULL, payload TEXT NOT NULL DEFAULT '{}',
  status TEXT NOT NULL CHECK (status IN ('waiting', 'running', 'done', 'failed')), attempts INTEGER NOT NULL DEFAULT 0,
  run_after TEXT NOT NULL, last_error TEXT NOT NULL DEFAULT '', created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
  PRIMARY KEY (kind, key)) STRICT;
CREATE INDEX jobs_due ON jobs (status, run_after);
CREATE TABLE tokens (
  id TEXT PRIMARY KEY, client TEXT NOT NULL, digest TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL,
  last_used_at TEXT, revoked_at TEXT) STRICT;
"""
_UNFINISHED = """\
CREATE INDEX tasks_unfinished ON tasks (plan, project) WHERE status IN ('open', 'in_progress');
"""
MIGRATIONS: tuple[str, ...] = (_FIRST, _UNFINISHED)
"""Step n brings a file from version n to n + 1."""
