-- Two threads derive, each with its share.
SET memory_limit = '1GB';
