"""Git: snapshots, facts, exact commits, the ledger; the only code that runs git."""
