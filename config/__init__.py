"""How the project is wired: settings, addresses, processes."""
