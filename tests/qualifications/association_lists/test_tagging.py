import pytest

from hits.core.errors import RuleBroken
from qualifications.models import SwowList
from qualifications.services.instance_generation import generate_instances
from qualifications.services.lists_from_tags import list_from_tags
from tests.factories import NOW
from tests.qualifications.lists import edges_of, make_list

pytestmark = pytest.mark.django_db
TAGS = {"Snowman": ["snow", "winter", "snowman"], "ski": ["Snow", "sport"], "owl": ["bird"]}


def test_list_from_tags_links_both_ways() -> None:
    swow = list_from_tags(name="demo", tags=TAGS, now=NOW)

    pairs = {("snowman", "snow"), ("snowman", "winter"), ("ski", "snow"), ("ski", "sport"), ("owl", "bird")}
    assert (swow.status, swow.kind, swow.imported_at) == ("ready", "tags", NOW)
    assert edges_of(swow) == {edge: 1 for one, other in pairs for edge in ((one, other), (other, one))}
    assert (swow.rows, swow.words_count, swow.cues_count, swow.edges_count) == (10, 7, 7, 10)


def test_list_from_tags_made_again_is_the_same_list() -> None:
    first = list_from_tags(name="demo", tags=TAGS, now=NOW)

    again = list_from_tags(name="demo", tags=dict(reversed(TAGS.items())), now=NOW)

    assert again == first
    assert SwowList.objects.count() == 1
    assert len(edges_of(first)) == 10


@pytest.mark.parametrize("status", ["ready", "importing"])
def test_list_from_tags_takes_no_name_of_another_list(status: str) -> None:
    here = make_list(name="demo", status=status)

    with pytest.raises(RuleBroken) as refused:
        list_from_tags(name="demo", tags=TAGS, now=NOW)

    assert refused.value.code == "swow.name_taken"
    assert list(SwowList.objects.all()) == [here]


def test_list_from_tags_needs_a_tag() -> None:
    with pytest.raises(RuleBroken) as refused:
        list_from_tags(name="demo", tags={"owl": ["Owl", " "]}, now=NOW)

    assert refused.value.code == "swow.no_tags"
    assert not SwowList.objects.exists()


def test_a_tag_of_one_picture_is_enough_for_an_instance() -> None:
    tags = {name: ["snow"] for name in ("ski", "igloo")} | {name: ["farm"] for name in ("hen", "cow", "barn")}
    tags["owl"] = ["night"]
    swow = list_from_tags(name="demo", tags=tags, now=NOW)

    made = generate_instances(swow=swow, concepts=list(tags), size=5, count=2, seed=1, associations=[2, 3])

    chosen = {instance.cue: set(instance.chosen) for instance in made}
    assert chosen["snow"] == {"ski", "igloo"}
    assert chosen["farm"] <= {"hen", "cow", "barn"}
