"""Who is notified of a HIT type's events, and the events that wait to be sent."""

from functools import partial

from django.db import models
from django.db.models import Q

from crowd.marketplace import domain
from crowd.marketplace.models.parties import Requester
from crowd.marketplace.models.work import HITType


class Destination(models.Model):
    """An address for a requester's events. One sweep at a time sends to it, so they arrive in order."""

    requester = models.ForeignKey(Requester, models.CASCADE, related_name="destinations")
    transport = models.CharField(max_length=8)
    address = models.CharField(max_length=2000)
    # A lease: until then a sweep holds it, or it rests after a failure. Compare and swap by the old value.
    free_at = models.DateTimeField()
    failures = models.PositiveIntegerField(default=0, help_text="Failed deliveries in a row.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["requester", "transport", "address"], name="destination_once"),
        ]

    def __str__(self) -> str:
        return f"{self.transport} {self.address}"


class Topic(models.Model):
    """A name under which a requester publishes; its subscribers are notified."""

    requester = models.ForeignKey(Requester, models.CASCADE, related_name="topics")
    name = models.CharField(max_length=256)
    # Both are kept and told again. A policy opens nothing: the marketplace alone publishes here.
    display_name = models.CharField(max_length=100, default="")
    policy = models.TextField(default="")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["requester", "name"], name="topic_once")]

    def __str__(self) -> str:
        return self.arn

    @property
    def arn(self) -> str:
        return domain.topic_arn(account=self.requester_id, name=self.name)


class Subscription(models.Model):
    """An address that gets a topic's events once it has confirmed that it wants them."""

    topic = models.ForeignKey(Topic, models.CASCADE, related_name="subscriptions")
    destination = models.OneToOneField(Destination, models.PROTECT, related_name="subscription")
    arn = models.CharField(max_length=400, unique=True)
    protocol = models.CharField(max_length=5)
    endpoint = models.CharField(max_length=2000)
    # Not a digest alone: the message that carries it is written again at every attempt.
    token = models.CharField(max_length=64, unique=True)
    asked_at = models.DateTimeField()
    confirmed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["topic", "endpoint"], name="subscription_once")]

    def __str__(self) -> str:
        return self.arn


class NotificationSetting(models.Model):
    """The event types of a HIT type, and whether they go to one destination or to a topic's subscribers."""

    hit_type = models.OneToOneField(HITType, models.CASCADE, related_name="notification")
    destination = models.ForeignKey(Destination, models.PROTECT, null=True, related_name="settings")
    topic = models.ForeignKey(Topic, models.CASCADE, null=True, related_name="settings")
    version = models.CharField(max_length=32)
    event_types = models.JSONField(default=list)
    is_active = models.BooleanField(default=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(destination=None, topic__isnull=False) | Q(destination__isnull=False, topic=None),
                name="setting_tells_a_destination_or_a_topic",
            )
        ]

    def __str__(self) -> str:
        return f"{self.hit_type} to {self.destination or self.topic}"


class Event(models.Model):
    """A row of the outbox: written in the event's transaction, sent by a sweep until accepted or given up."""

    destination = models.ForeignKey(Destination, models.PROTECT, related_name="events")
    document_id = models.CharField(
        max_length=64, default=partial(domain.new_id, length=40), help_text="EventDocId."
    )
    event_type = models.CharField(max_length=32)
    hit_id = models.CharField(max_length=64, blank=True)
    hit_type_id = models.CharField(max_length=64, blank=True)
    assignment_id = models.CharField(max_length=64, blank=True)
    occurred_at = models.DateTimeField()
    due_at = models.DateTimeField()
    attempts = models.PositiveIntegerField(default=0)
    delivered_at = models.DateTimeField(null=True)
    given_up_at = models.DateTimeField(null=True)
    last_error = models.CharField(max_length=500, blank=True)

    class Meta:
        constraints = [
            # One document may go to many subscriptions.
            models.UniqueConstraint(fields=["destination", "document_id"], name="event_once_a_destination")
        ]
        indexes = [
            models.Index(
                fields=["destination", "due_at"],
                condition=Q(delivered_at=None, given_up_at=None),
                name="event_to_send",
            ),
            models.Index(fields=["delivered_at"], condition=Q(delivered_at__isnull=False), name="event_sent"),
            models.Index(
                fields=["given_up_at"], condition=Q(given_up_at__isnull=False), name="event_given_up"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event_type} {self.document_id}"


class SigningKey(models.Model):
    """The key and certificate that sign SNS-style posts; made when first needed."""

    private_sealed = models.TextField()
    certificate = models.TextField()
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"Key of {self.created_at:%Y-%m-%d}"
