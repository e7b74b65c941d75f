"""Suggesting: ranked ideas for the next experiment on a row."""
