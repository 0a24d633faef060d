"""The providers: the only place that speaks to a marketplace."""

from hits.providers.gateway.interface import (
    HITSpec,
    NotDelivered,
    Provider,
    ProviderAssignment,
    ProviderBonus,
    ProviderHIT,
    ProviderTest,
    QualificationRequest,
    Qualified,
)
from hits.providers.gateway.registry import provider_for

__all__ = [
    "HITSpec",
    "NotDelivered",
    "Provider",
    "ProviderAssignment",
    "ProviderBonus",
    "ProviderHIT",
    "ProviderTest",
    "QualificationRequest",
    "Qualified",
    "provider_for",
]
