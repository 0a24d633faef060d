"""Rows of the data as files. What is written here never holds more than some hundred rows in memory."""
