-- Arrow tables keep their order on the way in.
INSERT INTO events BY NAME FROM _new
