"""Kernel Atlas: measured evidence about GPU kernels, kept so that it can be believed."""
