"""How results look: one module per family of formats, none of which asks or decides anything."""
