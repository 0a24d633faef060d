"""The designers' pages on the task site: no cookies, never framed. The link is the only authority."""
