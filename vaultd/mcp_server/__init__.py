"""The vault as MCP tools."""
