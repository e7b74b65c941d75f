INSERT INTO events BY NAME SELECT * EXCLUDE (aside) FROM _arrived WHERE NOT aside;
INSERT INTO conflicts BY NAME SELECT * EXCLUDE (aside) FROM _arrived WHERE aside;
