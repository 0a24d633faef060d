"""What the contract suite asks every provider to make."""

from decimal import Decimal
from uuid import UUID, uuid4

from hits.providers.gateway.interface import HITSpec

SECRET = UUID("5eb63bbb-e01e-4ed0-93cb-22bb8f5acdc3")


def spec(*, reward: str = "0.20", max_assignments: int = 2, annotation: str = "") -> HITSpec:
    """A HIT of two minutes. Without an annotation it has one of its own: no two are the same work."""
    return HITSpec(
        title="Title",
        description="Description",
        keywords="a, b",
        reward=Decimal(reward),
        question_url="https://example.org/q/1/?a=1&b=2",
        max_assignments=max_assignments,
        duration_s=600,
        lifetime_s=3600,
        auto_approval_s=3600,
        annotation=annotation or f"crowd:{uuid4().hex[:8]}",
        estimated_s=60,
        secret=SECRET,
    )
