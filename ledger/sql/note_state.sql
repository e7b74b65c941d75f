INSERT INTO catalog_state VALUES ($1, $2)
