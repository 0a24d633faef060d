"""The REST API: for notebooks, all that a researcher does in the admin. Thin: validate, one call, answer."""
