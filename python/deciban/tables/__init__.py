"""Tables as they come: CSV, TSV, JSON lines and Parquet, read in batches of bounded size."""
