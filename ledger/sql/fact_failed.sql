INSERT INTO facts_failed VALUES (?, ?, ?)
