"""Models of tables of typed columns: what an estimator learnt, with the columns it learnt it of, as files keep it."""
