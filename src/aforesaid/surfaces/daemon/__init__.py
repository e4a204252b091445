"""One background process for each store. It keeps the model and the MCP SDK loaded, so that hosts start quickly."""
