"""The demo of caption matching: a few examples, their pictures, and people who look at them."""
