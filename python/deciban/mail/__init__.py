"""Mail: what people have, the filter, and the ledger of what it learnt."""
