"""What changes scores, riddles and verdicts. Only answering, embedding and fetching ever load a model."""
