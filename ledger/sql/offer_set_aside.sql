INSERT INTO conflicts BY NAME FROM events WHERE hash IN (SELECT hash FROM loose_hashes);
DELETE FROM events WHERE hash IN (SELECT hash FROM loose_hashes);
