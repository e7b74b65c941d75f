DELETE FROM meta WHERE key = 'origin'
