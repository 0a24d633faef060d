"""Sources of pictures: folders, archives, lists, addresses. Nothing here knows a database."""
