SELECT batch, count(*) FROM _arriving GROUP BY batch ORDER BY batch
