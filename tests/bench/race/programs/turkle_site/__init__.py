"""A site of Turkle on PostgreSQL, set up as its guide for administrators says."""
