"""The wiring of the project: settings, addresses, processes."""
