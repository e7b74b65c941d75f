"""Dispatch provenance: a source tree → the places that mention a kernel. They prove no branch."""
