"""Workers, their blocks, appeals and the letters to them."""
