"""Rules for imports. Families are found, not listed, so a new one is guarded from its first commit."""

from pathlib import Path

import grimp
import pytest
from django.conf import settings

from crowd import family

pytestmark = pytest.mark.pure
FAMILIES = [f"crowd.{one.key}" for one in family.registered()]
SHARED = [
    f"crowd.{path.stem}"
    for path in sorted(Path(settings.BASE_DIR, "crowd").glob("[!_]*"))
    if f"crowd.{path.stem}" not in FAMILIES
]
MARKETPLACE = "crowd.marketplace"
NOT_IN_A_DOMAIN = ("boto3", "botocore", "celery", "django", "numpy", "rest_framework", "scipy", "torch")


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph(
        "config",
        "crowd",
        "hits",
        "qualifications",
        "scoring",
        include_external_packages=True,
        cache_dir=None,
    )


def chains(graph: grimp.ImportGraph, *, of: str, to: str) -> list[str]:
    """Chains of imports that lead from the importing package `of` to the package `to`."""
    found = graph.find_shortest_chains(importer=of, imported=to, as_packages=True)
    return sorted(" -> ".join(chain) for chain in found)


@pytest.mark.parametrize("of", FAMILIES)
def test_a_family_knows_no_other_and_not_the_marketplace(graph: grimp.ImportGraph, of: str) -> None:
    others = [one for one in (*FAMILIES, "crowd.compensation", MARKETPLACE) if one != of]

    assert [chain for to in others for chain in chains(graph, of=of, to=to)] == []


@pytest.mark.parametrize("of", SHARED)
def test_what_families_share_knows_no_family(graph: grimp.ImportGraph, of: str) -> None:
    assert [chain for to in FAMILIES for chain in chains(graph, of=of, to=to)] == []


@pytest.mark.parametrize("of", FAMILIES)
def test_the_rules_of_a_family_need_the_standard_library_alone(graph: grimp.ImportGraph, of: str) -> None:
    domain = f"{of}.domain"
    assert domain in graph.modules

    packages = [one for one in NOT_IN_A_DOMAIN if one in graph.modules]

    assert "django" in packages
    assert [chain for to in packages for chain in chains(graph, of=domain, to=to)] == []


def test_the_search_finds_what_it_looks_for(graph: grimp.ImportGraph) -> None:
    assert len(FAMILIES) > 1
    assert MARKETPLACE in SHARED
    assert chains(graph, of=FAMILIES[0], to="crowd.pictures") != []
