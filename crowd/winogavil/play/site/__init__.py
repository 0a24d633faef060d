"""The players' pages: a cookie of their own, a host of their own, never in a frame."""
