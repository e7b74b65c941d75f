USE ledger
