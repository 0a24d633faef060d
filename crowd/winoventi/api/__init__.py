"""The exception procedure for notebooks: what the admin's pages tell and do, by the same services."""
