"""The demo: a user's day on bundled data in a ledger of its own."""
