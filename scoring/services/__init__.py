"""Services that change scores, queries and verdicts. Only answering, embedding and fetching load a model."""
