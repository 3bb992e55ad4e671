"""Rows, devices that hold them, labels, weights and folds; and what keeps bad input from doing harm."""
