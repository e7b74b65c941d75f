INSERT INTO events BY NAME FROM offered_events
