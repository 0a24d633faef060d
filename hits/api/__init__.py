"""The REST API for notebooks: all that a researcher does in the admin. Views validate and make one call."""
