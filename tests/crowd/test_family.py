import pytest
from django.utils.module_loading import import_string

from crowd import family
from crowd.demo.interface import Demo
from hits import families
from hits.core.audit_subjects import SUBJECTS
from hits.core.errors import CrowdError
from hits.data import exports, replays
from hits.families import Purpose, bonus_presets
from hits.identity.roles import ROLES
from qualifications.presets import PRESETS

FAMILIES = {one.key: one for one in family.registered()}


def test_every_task_belongs_to_one_family_or_to_the_house() -> None:
    described = [task.key for one in family.registered() for task in one.tasks]

    assert sorted([*described, "compensation"]) == sorted(families.registered())


@pytest.mark.parametrize("key", FAMILIES)
def test_the_keys_of_a_familys_tasks_and_gates_begin_with_its_own(key: str) -> None:
    described = FAMILIES[key]

    keys = [*(task.key for task in described.tasks), *(gate.key for gate in described.gates)]

    assert [one for one in keys if not one.startswith(f"{key}.")] == []


@pytest.mark.parametrize("key", FAMILIES)
def test_each_room_has_taken_its_part_of_the_description(key: str) -> None:
    described = FAMILIES[key]

    given = {(role, name) for role, names in described.roles.items() for name in names}

    assert given <= {(role, name) for role, names in ROLES.items() for name in names}
    assert {gate.key for gate in described.gates} <= PRESETS.keys()
    assert {families.measure_name(one) for one in described.measures} == set(described.measures.values())
    assert {one.key for one in described.bonus_presets} <= bonus_presets.registered().keys()
    assert described.audit_subjects.items() <= SUBJECTS.items()
    assert exports.registered().get(key) == described.export
    assert replays.registered().get(key) == described.replay


@pytest.mark.parametrize("key", FAMILIES)
def test_every_task_says_what_its_batches_start_from(key: str) -> None:
    untold = [task.key for task in FAMILIES[key].tasks if not (task.terms.title and task.terms.description)]

    assert untold == []


@pytest.mark.parametrize("key", FAMILIES)
def test_a_familys_gates_name_tasks_and_measures_that_it_has(key: str) -> None:
    described = FAMILIES[key]
    tasks = {task.key: task for task in described.tasks}

    for gate in described.gates:
        measured = {rule["measure"] for rule in gate.rules}
        assert {gate.test_task, *gate.opens} <= tasks.keys()
        assert tasks[gate.test_task].purpose == Purpose.TEST
        assert measured <= {*tasks[gate.test_task].measures}


@pytest.mark.parametrize("key", FAMILIES)
def test_a_familys_demo_stands_in_its_own_package(key: str) -> None:
    demo = FAMILIES[key].demo

    assert demo.startswith(f"crowd.{key}.demo.")
    assert issubclass(import_string(demo), Demo)


def test_a_family_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(CrowdError) as refused:
        family.get("chess")

    assert str(refused.value) == f"There is no family chess. Known: {', '.join(FAMILIES)}."
