"""A batch's question page as a worker sees it, shown to a researcher: no row of it is kept."""
