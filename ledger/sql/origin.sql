SELECT value FROM meta WHERE key = 'origin'
