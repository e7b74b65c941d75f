DELETE FROM facts_failed WHERE fact IN ($1, '_parsed')
