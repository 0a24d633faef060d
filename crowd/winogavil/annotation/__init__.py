"""Annotation of selected associations: their types, the skills they need, and how newcomers solve them."""
