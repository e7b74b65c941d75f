DELETE FROM catalog_state WHERE name = $1
