"""What to learn from: features chosen by what they tell of the class, and features that stand for a kernel."""
