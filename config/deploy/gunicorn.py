"""Gunicorn as the images and units start it. WEB_CONCURRENCY says how many processes: one for each core."""

import os

bind = os.environ.get("WEB_BIND", "0.0.0.0:8000")  # in a container; a unit sets it
worker_class = "gthread"
threads = 8
graceful_timeout = 30
keepalive = 75  # longer than the proxy keeps its connections, so that it never writes into a closed one
limit_request_line = 8190  # the platform's parameters and the ticket make long addresses
worker_tmp_dir = "/dev/shm"  # noqa: S108 - in memory: a slow disk must not look like a hanging process
loglevel = "warning"
control_socket_disable = True
max_requests = 20_000
max_requests_jitter = 2_000
