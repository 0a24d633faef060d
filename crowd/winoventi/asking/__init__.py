"""The pages of the steps in which people answer. What is kept of an answer, `domain.answers` reads."""
