"""How events leave the marketplace: what a transport promises, the three there are, and the sweep."""
