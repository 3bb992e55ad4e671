"""What people read: explanations, evaluations and models, for the terminal."""
