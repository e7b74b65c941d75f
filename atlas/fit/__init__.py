"""The fit view: how the kernels of a row sit on its card."""
