"""Running a task's contract: fresh processes, each an event as it ends, and an honest verdict."""
