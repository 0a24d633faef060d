from typing import Any

import pytest
from django.db import connection, migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState

from hits.common.migrating.online_indexes import AddIndexOnline
from tests.unsafe_migrations import VERSION, faults_of

BIG = models.Index(fields=["name"], name="assignment_by_name")


def migration(*operations: Any, **words: str) -> Any:
    made = type("Migration", (migrations.Migration,), {"operations": list(operations), **words})
    return made("0099_of_a_test", "hits")


def state() -> ProjectState:
    fields: list[tuple[str, Any]] = [
        ("id", models.BigAutoField(primary_key=True)),
        ("name", models.CharField(max_length=10)),
        ("note", models.CharField(max_length=10, null=True)),
    ]
    started = ProjectState()
    for name in ("Assignment", "Small"):
        migrations.CreateModel(name, fields).state_forwards("hits", started)
    return started


def faults(*operations: Any, **words: str) -> list[str]:
    return list(faults_of(migration(*operations, **words), state()))


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        (migrations.RemoveField("small", "name"), "gone_since"),
        (migrations.DeleteModel("Small"), "gone_since"),
        (migrations.RenameField("small", "name", "title"), "old name"),
        (migrations.RenameModel("Small", "Tiny"), "old name"),
        (migrations.AddField("small", "more", models.IntegerField(default=1)), "db_default"),
        (migrations.AlterField("small", "note", models.CharField(max_length=10)), "still writes null"),
        (migrations.AlterField("small", "name", models.IntegerField()), "type changes"),
        (migrations.AlterField("small", "name", models.CharField(max_length=5)), "type changes"),
        (migrations.AddIndex("assignment", BIG), "locks a large table"),
        (migrations.AddField("assignment", "k", models.IntegerField(null=True, db_index=True)), "locks"),
        (migrations.RunSQL("SELECT 1"), "is_safe_because"),
    ],
)
def test_what_old_code_cannot_live_with_is_refused(operation: Any, words: str) -> None:
    found = faults(operation)

    assert len(found) == 1
    assert words in found[0]


@pytest.mark.parametrize(
    "operation",
    [
        migrations.AddField("small", "more", models.IntegerField(null=True)),
        migrations.AddField("small", "more", models.BooleanField(default=False, db_default=False)),
        migrations.AlterField("small", "name", models.CharField(max_length=20)),
        migrations.AlterField("small", "name", models.TextField()),
        migrations.AddIndex("small", models.Index(fields=["name"], name="small_by_name")),
        AddIndexOnline("assignment", BIG),
        migrations.CreateModel("New", [("id", models.BigAutoField(primary_key=True))]),
    ],
)
def test_what_old_code_does_not_see_is_taken(operation: Any) -> None:
    assert faults(operation) == []


def test_contract_step_names_a_version_of_the_changelog() -> None:
    remove = migrations.RemoveField("small", "name")

    assert faults(remove, gone_since="0.1.0") == []
    assert "no version" in faults(remove, gone_since="99.0.0")[0]
    assert VERSION.findall("## [0.1.0] - 2026\n## Unreleased\n") == ["0.1.0"]


def test_index_of_a_large_table_may_be_explained() -> None:
    assert faults(migrations.AddIndex("assignment", BIG), is_safe_because="The table is new.") == []


@pytest.mark.django_db(transaction=True)
def test_online_index_is_made_on_this_database() -> None:
    index = models.Index(fields=["lab"], name="study_by_lab_of_a_test")
    operation = AddIndexOnline("study", index)
    before = MigrationLoader(connection).project_state()
    after = before.clone()
    operation.state_forwards("hits", after)
    try:
        with connection.schema_editor(atomic=False) as editor:
            operation.database_forwards("hits", editor, before, after)
        with connection.cursor() as cursor:
            made = connection.introspection.get_constraints(cursor, "hits_study")
    finally:
        with connection.schema_editor(atomic=False) as editor:
            operation.database_backwards("hits", editor, after, before)

    assert made["study_by_lab_of_a_test"]["columns"] == ["lab"]
