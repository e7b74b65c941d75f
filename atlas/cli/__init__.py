"""The command line: options → one call → one render."""
