"""Public pages of published releases, with a board of models and submissions from outside."""
