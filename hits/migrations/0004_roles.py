"""The five groups; and the API's former tokens go, which had neither an end nor scopes."""

from django.contrib.auth.management import create_permissions
from django.db import migrations

from hits.identity.roles import install_roles


def forget_old_tokens(apps, schema_editor):
    """What is left of rest_framework.authtoken, which is no longer installed."""
    apps.get_model("contenttypes", "ContentType").objects.filter(app_label="authtoken").delete()


def install(apps, schema_editor):
    """Django makes the permissions only after all migrations have run; the groups need them now."""
    hits = apps.get_app_config("hits")
    hits.models_module = True
    create_permissions(hits, apps=apps, using=schema_editor.connection.alias, verbosity=0)
    hits.models_module = None
    install_roles(apps)


class Migration(migrations.Migration):
    dependencies = [
        ("hits", "0003_what_was_launched_before"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]
    operations = [
        migrations.RunSQL("DROP TABLE IF EXISTS authtoken_token", migrations.RunSQL.noop),
        migrations.RunPython(forget_old_tokens, migrations.RunPython.noop, elidable=True),
        migrations.RunPython(install, migrations.RunPython.noop),
    ]
