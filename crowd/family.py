"""What a task family is: one description, of which every room takes what it needs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.functional import Promise

from crowd.pictures import removal
from hits import families
from hits.core import audit_subjects
from hits.core.errors import CrowdError
from hits.data import exports, replays
from hits.data.exports import Export
from hits.data.replays import Replay
from hits.families import TaskType, entry_policies
from hits.families.entry_policies import EntryPolicy
from hits.identity import roles
from qualifications import gate_words, presets
from qualifications.presets import Preset


@dataclass(frozen=True, kw_only=True)
class Family:
    # The name of its package, and how the keys of its tasks begin.
    key: str
    name: str
    tasks: Sequence[TaskType]
    policies: Sequence[EntryPolicy] = ()
    # What it adds to each role.
    roles: Mapping[str, Sequence[str]] = field(default_factory=dict)
    # What a researcher may begin a gate from.
    gates: Sequence[Preset] = ()
    # What workers are told of its measures; of others they read the name.
    measures: Mapping[str, str | Promise] = field(default_factory=dict)
    # How the kinds of its audit events begin, and what such events are about.
    audit_subjects: Mapping[str, str] = field(default_factory=dict)
    # What makes the tables of statistics of a study at a moment, as an import path.
    tables: str = ""
    export: Export | None = None
    replay: Replay | None = None
    # Its modules of addresses, by the path below which they stand.
    urls: Mapping[str, str] = field(default_factory=dict)
    # Its sites: modules of addresses, by the setting that says where the site is served.
    sites: Mapping[str, str] = field(default_factory=dict)
    # Where its demo stands, as an import path: what a demo needs is installed for demos alone.
    demo: str = ""
    # Told of pictures that begin or cease to be shown; and which of its items show them.
    follow_pictures: removal.Listener | None = None
    items_of_pictures: removal.Items | None = None


_families: dict[str, Family] = {}


def register(family: Family) -> None:
    """Called from the family's AppConfig.ready."""
    _families[family.key] = family
    for task in family.tasks:
        families.register(task)
    for policy in family.policies:
        entry_policies.register(policy)
    for role, permissions in family.roles.items():
        roles.extend(tuple(permissions), role)
    presets.register(family.gates)
    gate_words.name_measures(family.measures)
    audit_subjects.register(family.audit_subjects)
    if family.export:
        exports.register(family.export)
    if family.replay:
        replays.register(family.replay)
    if family.follow_pictures:
        removal.on_change(family.follow_pictures, items=family.items_of_pictures)


def registered() -> Sequence[Family]:
    """In the order of the settings."""
    return tuple(_families.values())


def get(key: str) -> Family:
    if key not in _families:
        raise CrowdError(f"There is no family {key}. Known: {', '.join(_families)}.")
    return _families[key]
