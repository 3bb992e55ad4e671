"""What models learn from: rows, devices that hold them, folds, weights; and what keeps bad input from doing harm."""
