"""The providers: the only place that speaks to a marketplace."""

from hits.gateway.interface import HITSpec, Provider, ProviderAssignment, ProviderBonus, ProviderHIT
from hits.gateway.registry import provider_for

__all__ = [
    "HITSpec",
    "Provider",
    "ProviderAssignment",
    "ProviderBonus",
    "ProviderHIT",
    "provider_for",
]
