"""What each role was given is remembered; and what a model that is gone had left behind goes too."""

from django.db import migrations, models


def forget_budget_entries(apps, schema_editor):
    """The migration that made the groups had made a content type and permissions of this model."""
    apps.get_model("contenttypes", "ContentType").objects.filter(app_label="hits", model="budgetentry").delete()


class Migration(migrations.Migration):

    dependencies = [
        ('hits', '0008_web_accounts_and_pulled_items'),
        ('auth', '0012_alter_user_first_name_max_length'),
        ('contenttypes', '0002_remove_content_type_name'),
    ]

    operations = [
        migrations.CreateModel(
            name='RoleGrant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(max_length=150)),
                ('permission', models.CharField(help_text='Such as hits.launch_batch.', max_length=200)),
            ],
            options={
                'default_permissions': (),
                'constraints': [models.UniqueConstraint(fields=('role', 'permission'), name='permission_given_once')],
            },
        ),
        migrations.RunPython(forget_budget_entries, migrations.RunPython.noop),
    ]
