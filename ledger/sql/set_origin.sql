INSERT INTO meta VALUES ('origin', $1)
