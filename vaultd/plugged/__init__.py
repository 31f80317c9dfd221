"""Plugins in a vault: what they ask is answered, what happens is told them, what they find joins what vaultd finds."""
