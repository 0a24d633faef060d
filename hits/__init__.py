"""Everything a researcher launches and payments staff pay."""
