"""What it takes to measure a row again, and whether this host still has it."""
