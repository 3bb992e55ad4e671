"""Values that docs/studies/generative.md names, from the numbers of benchmarks/studies/generative.json."""

from model_tables import derive

__all__ = ["derive"]
