"""Which API this vaultd offers to plugins."""

API_VERSION = "1.0.0"
"""What `minAppVersion` is compared with."""
