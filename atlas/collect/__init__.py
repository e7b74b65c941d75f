"""Collections: running a bench or demo so that whatever happens becomes an event."""
