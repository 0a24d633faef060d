"""A stateful stand-in for Prolific, for tests and demos. Written from the project's reference of its API."""
