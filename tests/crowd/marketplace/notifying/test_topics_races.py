"""Topics that are made, notified and deleted concurrently: each call gets a true answer, and none fails."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.utils import timezone

from crowd.marketplace.models import HIT, Event, NotificationSetting, Subscription, Topic
from crowd.marketplace.services.requesters import Credentials
from tests.conftest import Sites
from tests.crowd.marketplace.api import client_of
from tests.crowd.marketplace.rows import accept, post_hit
from tests.crowd.marketplace.topics import ENDPOINT, make_topic, sns_of, specification, subscribe, tell
from tests.crowd.marketplace.work.test_races import all_at_once

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 8


@pytest.fixture
def hit(credentials: Credentials) -> HIT:
    return post_hit(requester=credentials.requester, max_assignments=100, now=timezone.now())


def answered(call: Callable[..., Any], **values: Any) -> Callable[[], object]:
    def ask() -> object:
        call(**values)
        return "done"

    return ask


def test_topic_made_many_times_at_once_is_one(sites: Sites, credentials: Credentials) -> None:
    makers = [partial(make_topic, sns_of(sites, credentials)) for _ in range(6)]

    arns = all_at_once(*makers)

    assert list(arns.values()) == [6]
    assert Topic.objects.count() == 1


def test_address_subscribed_many_times_at_once_gets_one_letter(
    sites: Sites, credentials: Credentials
) -> None:
    topic = make_topic(sns_of(sites, credentials))

    arns = all_at_once(*(partial(subscribe, sns_of(sites, credentials), topic) for _ in range(6)))

    assert list(arns.values()) == [6]
    assert (Subscription.objects.count(), Event.objects.count()) == (1, 1)


def test_topic_deleted_while_it_is_told_leaves_nothing_half_done(
    sites: Sites, credentials: Credentials, hit: HIT
) -> None:
    client, sns = client_of(sites, credentials), sns_of(sites, credentials)
    said: Counter[object] = Counter()
    for _ in range(ROUNDS):
        topic = make_topic(sns)
        subscribe(sns, topic)
        Subscription.objects.update(confirmed_at=timezone.now())
        tell(sites, credentials, hit, topic)
        type_id = hit.hit_type.external_id

        said += all_at_once(
            answered(sns.delete_topic, TopicArn=topic),
            answered(
                client.update_notification_settings,
                HITTypeId=type_id,
                Notification=specification(topic),
            ),
            answered(sns.subscribe, TopicArn=topic, Protocol="https", Endpoint=f"{ENDPOINT}/2"),
            lambda: accept(HIT.objects.get(pk=hit.pk), now=timezone.now()).status,
        )

        rows = (Topic, Subscription, NotificationSetting)
        assert [model._default_manager.count() for model in rows] == [0, 0, 0]

    late = {"AWS.MechanicalTurk.InvalidTransportEndpoint", "NotFound"}
    assert set(said) <= {"done", "Accepted", *late}
    assert (sum(said.values()), said["Accepted"]) == (4 * ROUNDS, ROUNDS)
