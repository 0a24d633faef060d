"""Parts of the other programs' sites, and what fills their databases. Each runs in its own environment."""
