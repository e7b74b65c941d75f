UPDATE _arriving SET aside = TRUE WHERE hash IN (SELECT hash FROM loose_hashes)
