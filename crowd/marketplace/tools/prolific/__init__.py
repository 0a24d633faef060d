"""A stateful stand-in for Prolific, for tests and demos. Written from the project's reference of its API."""

from crowd.marketplace.tools.prolific.standin_server import StandIn, serving

__all__ = ["StandIn", "serving"]
