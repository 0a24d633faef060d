"""Examples and answers as rows and files."""
