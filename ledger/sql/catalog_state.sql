SELECT name, digest FROM catalog_state
