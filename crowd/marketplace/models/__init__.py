from crowd.marketplace.models.complaints import Complaint
from crowd.marketplace.models.control import ClockShift, Fault
from crowd.marketplace.models.emails import Email, EmailAddress, ResetRequest
from crowd.marketplace.models.epochs import Epoch
from crowd.marketplace.models.money import BonusPayment, LedgerEntry, Payout
from crowd.marketplace.models.notifications import (
    Destination,
    Event,
    NotificationSetting,
    SigningKey,
    Subscription,
    Topic,
)
from crowd.marketplace.models.parties import (
    AccessKey,
    AuditEntry,
    Block,
    Invitation,
    Message,
    Operator,
    OperatorSession,
    Requester,
    Worker,
    WorkerSession,
)
from crowd.marketplace.models.qualifications import Qualification, QualificationRequest, QualificationType
from crowd.marketplace.models.work import (
    HAS_PLACES,
    HIT,
    Assignment,
    HITType,
    Layout,
    PolicyOutcome,
    RequestToken,
    Upload,
)

__all__ = [
    "HAS_PLACES",
    "HIT",
    "AccessKey",
    "Assignment",
    "AuditEntry",
    "Block",
    "BonusPayment",
    "ClockShift",
    "Complaint",
    "Destination",
    "Email",
    "EmailAddress",
    "Epoch",
    "Event",
    "Fault",
    "HITType",
    "Invitation",
    "Layout",
    "LedgerEntry",
    "Message",
    "NotificationSetting",
    "Operator",
    "OperatorSession",
    "Payout",
    "PolicyOutcome",
    "Qualification",
    "QualificationRequest",
    "QualificationType",
    "RequestToken",
    "Requester",
    "ResetRequest",
    "SigningKey",
    "Subscription",
    "Topic",
    "Upload",
    "Worker",
    "WorkerSession",
]
