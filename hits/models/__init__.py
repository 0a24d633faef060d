from hits.models.accounts import Account
from hits.models.assignments import Assignment, Item, Lease
from hits.models.bonuses import Bonus
from hits.models.studies import HIT, Batch, Study
from hits.models.users import User
from hits.models.workers import Worker

__all__ = ["HIT", "Account", "Assignment", "Batch", "Bonus", "Item", "Lease", "Study", "User", "Worker"]
