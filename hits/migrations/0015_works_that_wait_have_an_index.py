from django.db import migrations, models


class AddIndexBesideWork(migrations.AddIndex):
    """Build the index while others write, where the database can; an unfinished one makes way."""

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        connection = schema_editor.connection
        if connection.vendor != "postgresql" or connection.in_atomic_block:
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        model = to_state.apps.get_model(app_label, self.model_name)
        if self.allow_migrate_model(connection.alias, model):
            schema_editor.remove_index(model, self.index, concurrently=True)
            schema_editor.add_index(model, self.index, concurrently=True)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("hits", "0014_purges_after_their_date"),
    ]

    operations = [
        AddIndexBesideWork(
            model_name="assignment",
            index=models.Index(
                condition=models.Q(("status", "submitted")), fields=["id", "hit"], name="assignment_waiting"
            ),
        ),
    ]
