"""The systems that the paper compares its model with, and the model itself, behind one contract."""
