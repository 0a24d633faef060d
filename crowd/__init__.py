"""The pages and actions of workers."""
