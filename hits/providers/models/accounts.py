from uuid import uuid4

from django.core.validators import MaxValueValidator, MinValueValidator, URLValidator
from django.db import models

from hits.common.currencies import CHOICES, DEFAULT
from hits.core.domain import money
from hits.core.models.fields import EncryptedTextField
from hits.providers import capabilities
from hits.providers.capabilities import Capabilities

is_address = URLValidator(schemes=["http", "https"])


class AccountManager(models.Manager["Account"]):
    def connected(self) -> models.QuerySet["Account"]:
        """Accounts with a provider. The others are only names for where people come from."""
        return self.filter(kind__in=capabilities.CONNECTED)


class Account(models.Model):
    """Account at which work is posted and money spent. A batch keeps its account; the process has no mode."""

    class Kind(models.TextChoices):
        MTURK = "mturk", "Requester API (the marketplace or another endpoint)"
        PROLIFIC = "prolific", "Prolific"
        WEB = "web", "players of the web game: no provider, no money"
        RECORDED = "recorded", "workers whose work was recorded elsewhere"

    class Environment(models.TextChoices):
        MARKETPLACE = "marketplace"
        SANDBOX = "sandbox"
        PRODUCTION = "production", "production: real money"

    class Notify(models.TextChoices):
        NONE = "none", "polling alone"
        WEBHOOK = "webhook", "signed posts of the marketplace"
        SNS = "sns", "SNS-style signed posts"
        SQS = "sqs", "an SQS-compatible queue"

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    name = models.CharField(max_length=64, unique=True)
    kind = models.CharField(max_length=16, choices=Kind, default=Kind.MTURK)
    environment = models.CharField(max_length=16, choices=Environment)
    endpoint = models.CharField(
        max_length=200, validators=[is_address], help_text="Address of the provider's API."
    )
    worker_site = models.CharField(
        max_length=200,
        validators=[is_address],
        help_text="Address of the site that frames our pages: the only one allowed to, and the only "
        "place where finished work is handed in.",
    )
    access_key_id = models.CharField(
        max_length=128, blank=True, help_text="Of the Requester API. Prolific has a token alone."
    )
    secret_access_key = EncryptedTextField(
        help_text="The secret of the access key; for Prolific the API token."
    )
    workspace_id = models.CharField(
        max_length=64,
        blank=True,
        db_default="",
        help_text="Prolific's workspace, whose wallet pays. The Requester API has none.",
    )
    project_id = models.CharField(
        max_length=64,
        blank=True,
        db_default="",
        help_text="The project of the workspace in which studies are made.",
    )
    ticket_key = EncryptedTextField(
        blank=True,
        help_text="Key of the marketplace's signed tickets. Empty: the endpoint sends none, and a "
        "worker is believed only within the HIT's number of assignments.",
    )
    # What the provider signs its posts with, where it gave us a secret for that; "" until it has.
    hook_secret = EncryptedTextField(blank=True, default="", db_default="", editable=False)
    fee_schedule = models.CharField(max_length=16, choices=[(key, key) for key in money.FEES], default="none")
    currency = models.CharField(max_length=3, choices=CHOICES, default=DEFAULT)
    send_rate = models.PositiveSmallIntegerField(
        "calls a second",
        default=20,
        validators=[MinValueValidator(1), MaxValueValidator(200)],
        help_text="At most, by all processes together. Amazon's own service is said to take 1 to 3.",
    )
    notify_by = models.CharField(
        "hears of events by",
        max_length=8,
        choices=Notify,
        default=Notify.NONE,
        help_text="Polling finds everything by itself; events only make it sooner.",
    )
    notify_address = models.CharField(
        max_length=400,
        blank=True,
        help_text="Address of an SQS queue or an SNS topic. Empty for posts to this site itself.",
    )
    # When all HITs of the account, known or not, were last listed.
    surveyed_at = models.DateTimeField(null=True, editable=False)
    # What the provider said last, whoever asked: for pages that do not ask it again.
    balance = models.DecimalField(max_digits=13, decimal_places=2, null=True, editable=False)
    balance_read_at = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = AccountManager()

    def __str__(self) -> str:
        return f"{self.name} ({self.environment})" if self.can.is_connected else self.name

    @property
    def can(self) -> Capabilities:
        return capabilities.BY_KIND[self.kind]

    @property
    def is_real_money(self) -> bool:
        return self.environment == self.Environment.PRODUCTION

    @property
    def fees(self) -> money.FeeSchedule:
        return money.FEES[self.fee_schedule]


class Pace(models.Model):
    """Shared line to an account's provider: when the next call may leave, and whether calls are answered.

    All processes share it: a token bucket.
    """

    account = models.OneToOneField(Account, models.CASCADE, primary_key=True, related_name="pace")
    free_at = models.DateTimeField()
    # Why the last call had no answer, and since when none has had one.
    problem = models.CharField(max_length=300, blank=True)
    silent_since = models.DateTimeField(null=True)
    # The provider's last epoch, which changes when its data is restored from a copy.
    provider_epoch = models.CharField(max_length=64, blank=True)

    def __str__(self) -> str:
        return f"{self.account}: {self.free_at}"


class Stranger(models.Model):
    """A HIT at the provider that shows our pages but has no row here. It is stopped."""

    account = models.ForeignKey(Account, models.PROTECT, related_name="strangers")
    external_id = models.CharField(max_length=64)
    annotation = models.CharField(max_length=255, blank=True)
    found_at = models.DateTimeField()
    expired_at = models.DateTimeField(null=True)
    problem = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["account", "external_id"], name="stranger_once"),
        ]

    def __str__(self) -> str:
        return self.external_id
