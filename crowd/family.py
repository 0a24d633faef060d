"""The description of a task family, from which every room takes what it needs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.functional import Promise

from crowd.benchmarks import benchmark_tasks, training_recipes
from crowd.benchmarks.benchmark_tasks import BenchmarkTask
from crowd.benchmarks.training_recipes import TrainingRecipe
from crowd.papers.paper_project import PaperProject
from crowd.pictures import removal
from crowd.releases import family_contents
from crowd.releases.family_contents import ReleaseContents
from hits import families
from hits.batches.services import study_copies
from hits.batches.services.study_copies import CopyPart
from hits.core import audit_subjects
from hits.core.errors import CrowdError
from hits.data import exports, replays
from hits.data.exports import Export
from hits.data.replays import Replay
from hits.families import TaskType, bonus_presets, entry_policies, paper_figures
from hits.families.bonus_presets import BonusPreset
from hits.families.entry_policies import EntryPolicy
from hits.families.paper_figures import Paper
from hits.identity import roles
from hits.identity.models.users import User
from qualifications import presets
from qualifications.presets import Preset


@dataclass(frozen=True, kw_only=True)
class Family:
    # The name of its package, and the prefix of its tasks' keys.
    key: str
    name: str
    tasks: Sequence[TaskType]
    policies: Sequence[EntryPolicy] = ()
    # The permissions that it adds to each role.
    roles: Mapping[str, Sequence[str]] = field(default_factory=dict)
    # The presets from which a researcher may start a gate.
    gates: Sequence[Preset] = ()
    # The rules of bonuses from which a researcher may start a study's table.
    bonus_presets: Sequence[BonusPreset] = ()
    # The figures of its paper, each with its origin, and the project whose settings some of them are.
    paper: Paper | None = None
    project: PaperProject | None = None
    # The names of its measures in workers' words; others are shown by their key.
    measures: Mapping[str, str | Promise] = field(default_factory=dict)
    # The prefixes of the kinds of its audit events, and what such events are about.
    audit_subjects: Mapping[str, str] = field(default_factory=dict)
    # The function that makes a study's tables of statistics at a moment, as an import path.
    tables: str = ""
    # The permission that the page of these tables needs, and whom it refuses although they have it.
    tables_permission: str = ""
    refuses_tables: Callable[[User], bool] = lambda _: False
    export: Export | None = None
    # What its releases have.
    release: ReleaseContents | None = None
    # What models can be asked about its releases.
    benchmarks: Sequence[BenchmarkTask] = ()
    # How models are trained on these.
    recipes: Sequence[TrainingRecipe] = ()
    replay: Replay | None = None
    # Copies its project, with the settings, when a study is made like another.
    copy_study: CopyPart | None = None
    # Its modules of addresses, by their path prefix.
    urls: Mapping[str, str] = field(default_factory=dict)
    # Its sites: modules of addresses, by the setting that says where the site is served.
    sites: Mapping[str, str] = field(default_factory=dict)
    # Its demo as an import path: libraries of a demo are installed for demos only.
    demo: str = ""
    # How simulated people do its tasks, as import paths by the task: no web process loads these.
    rehearsals: Mapping[str, str] = field(default_factory=dict)
    # Why others of its tasks cannot be rehearsed, in words for researchers.
    unrehearsed: Mapping[str, str] = field(default_factory=dict)
    # The listener for pictures that begin or cease to be shown, and which of its items show them.
    follow_pictures: removal.Listener | None = None
    items_of_pictures: removal.Items | None = None


_families: dict[str, Family] = {}


def register(family: Family) -> None:
    """Register a family in all rooms; called from the family's AppConfig.ready."""
    _families[family.key] = family
    for task in family.tasks:
        families.register(task)
    for policy in family.policies:
        entry_policies.register(policy)
    for role, permissions in family.roles.items():
        roles.extend(tuple(permissions), role)
    presets.register(family.gates)
    families.name_measures(family.measures)
    bonus_presets.register(family.bonus_presets)
    if family.paper:
        paper_figures.register(family.paper)
    audit_subjects.register(family.audit_subjects)
    if family.export:
        exports.register(family.export)
    if family.release:
        family_contents.register(family.release)
    _register_benchmarks(family)
    if family.copy_study:
        study_copies.register(family.copy_study)
    if family.replay:
        replays.register(family.replay)
    if family.follow_pictures:
        removal.on_change(family.follow_pictures, items=family.items_of_pictures)


def _register_benchmarks(family: Family) -> None:
    for benchmark in family.benchmarks:
        benchmark_tasks.register(benchmark)
    for recipe in family.recipes:
        training_recipes.register(recipe)


def registered() -> Sequence[Family]:
    """All families, in the order of the settings."""
    return tuple(_families.values())


def get(key: str) -> Family:
    if key not in _families:
        raise CrowdError(f"There is no family {key}. Known: {', '.join(_families)}.")
    return _families[key]
