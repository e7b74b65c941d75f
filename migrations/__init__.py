"""Numbered SQL files for the base tables; a landed file is never edited."""
