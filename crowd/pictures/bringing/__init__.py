"""Where pictures come from: folders, archives, lists, addresses. Nothing here knows a database."""
