"""Caches for tests."""

# A Redis where nobody listens.
AWAY = {"default": {"BACKEND": "config.caching.SteadyRedisCache", "LOCATION": "redis://127.0.0.1:1/0"}}
