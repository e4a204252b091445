"""The MCP server: tools, resources and prompts over stdio or HTTP. Nothing here is imported before it is asked for."""
