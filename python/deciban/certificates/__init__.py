"""What a fit can prove about itself: its record, duality gaps, and bounds on its errors that need no more data."""
