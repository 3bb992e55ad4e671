"""Which features to learn from: what each of them tells of the class, and how many are enough."""
