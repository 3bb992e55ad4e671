"""When to believe a model: what a fit can prove about itself, and what held-out data say."""
