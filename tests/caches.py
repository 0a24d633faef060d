# The address of a Redis at which no server listens.
AWAY = {"default": {"BACKEND": "config.caching.SteadyRedisCache", "LOCATION": "redis://127.0.0.1:1/0"}}
