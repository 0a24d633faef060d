from hits.alerts.models import Alert, AlertChoice, AlertHook, Occurrence
from hits.batches.models import BatchEvent
from hits.core.models.audit_events import AuditEvent
from hits.data.models import Purge
from hits.identity.models.api_tokens import ApiToken
from hits.identity.models.blocks import Block
from hits.identity.models.openid_links import OpenIdLink
from hits.identity.models.second_factors import RecoveryCode, SecondFactor
from hits.identity.models.staff_sessions import StaffSession
from hits.identity.models.users import RoleGrant, User
from hits.identity.models.workers import Worker
from hits.ledger.models.bonuses import Bonus
from hits.ledger.models.transfers import LedgerEntry
from hits.payments.models.matches import Deposit, Difference, Match
from hits.payments.models.runs import Halt, Run, RunRow
from hits.people.models import Disclosure, Message, Recipient
from hits.providers.models.accounts import Account, Pace, Stranger
from hits.providers.models.epochs import Epoch
from hits.review.models import Appeal
from hits.studies.models import Batch, StartingTerms, Study
from hits.sync.models import Event, Notice
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision, Note
from hits.work.models.early_ends import EarlyEnd
from hits.work.models.hits import HIT, Change
from hits.work.models.items import Item
from hits.work.models.known_answers import KnownAnswer
from hits.work.models.leases import Lease
from hits.work.models.nothing_left import NothingLeft

__all__ = [
    "HIT",
    "Account",
    "Alert",
    "AlertChoice",
    "AlertHook",
    "ApiToken",
    "Appeal",
    "Assignment",
    "AuditEvent",
    "Batch",
    "BatchEvent",
    "Block",
    "Bonus",
    "Change",
    "Decision",
    "Deposit",
    "Difference",
    "Disclosure",
    "EarlyEnd",
    "Epoch",
    "Event",
    "Halt",
    "Item",
    "KnownAnswer",
    "Lease",
    "LedgerEntry",
    "Match",
    "Message",
    "Note",
    "NothingLeft",
    "Notice",
    "Occurrence",
    "OpenIdLink",
    "Pace",
    "Purge",
    "Recipient",
    "RecoveryCode",
    "RoleGrant",
    "Run",
    "RunRow",
    "SecondFactor",
    "StaffSession",
    "StartingTerms",
    "Stranger",
    "Study",
    "User",
    "Worker",
]
