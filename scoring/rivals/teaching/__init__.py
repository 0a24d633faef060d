"""Language models of a few kilobytes that learn some sentences within seconds: for the demo and for tests."""

from scoring.rivals.teaching.small import teach_causal, teach_masked

__all__ = ["teach_causal", "teach_masked"]
