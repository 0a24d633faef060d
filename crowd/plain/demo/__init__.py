"""The demo of questions of one's own: a page, some sentences, and people who are asked about them."""
