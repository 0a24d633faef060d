from django.db import migrations
from django.utils.text import Truncator


def name_accounts(apps, schema_editor):
    """Accounts of players were named after the id of their study, which says nothing to anybody."""
    accounts = apps.get_model("hits", "Account").objects
    for game in apps.get_model("winogavil_play", "WebGame").objects.select_related("study", "account"):
        if game.account.name != f"Players of {game.study.public_id}":
            continue
        name = Truncator(f"Players of {game.study.name}").chars(64)
        if accounts.filter(name=name).exists():
            name = f"{Truncator(name).chars(50)} ({game.study_id})"
        accounts.filter(pk=game.account_id).update(name=name)


class Migration(migrations.Migration):
    dependencies = [
        ("winogavil_play", "0002_uploaded_predictions_for_players"),
    ]

    operations = [
        migrations.RunPython(name_accounts, migrations.RunPython.noop, elidable=True),
    ]
