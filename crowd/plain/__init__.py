"""Questions of one's own: a researcher describes a page, uploads rows, and asks several people about each."""
