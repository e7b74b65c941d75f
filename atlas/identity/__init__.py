"""What was measured: one module per thing that is observed.

Every observation is a small frozen record with ``as_json()``. What could not be found out is left
out of the JSON and explained by ``reason``: unknown stays unknown.
"""
