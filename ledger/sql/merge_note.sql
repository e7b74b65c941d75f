INSERT INTO merges VALUES ($1, $2, $3, $4, $5, $6)
