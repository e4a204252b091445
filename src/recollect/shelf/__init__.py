"""What a store knows of a folder of notes, and how that follows the files."""
