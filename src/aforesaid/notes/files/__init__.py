"""Memory files: walking folders of notes and cutting them into chunks with exact lines. Nothing here knows a store."""
