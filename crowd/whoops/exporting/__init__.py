"""Images, questions and answers as rows and files."""
