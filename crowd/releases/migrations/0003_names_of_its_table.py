from django.db import migrations

from hits.core.renamed_tables import rename_constraints, rename_indexes

# On PostgreSQL a table that gets another name keeps the names of its constraints and indexes.
CONSTRAINTS = {
    "releases_release": {
        "winogavil_releases_release_pkey": "releases_release_pkey",
        "winogavil_releases_release_public_id_key": "releases_release_public_id_key",
        "winogavil_releases_release_rows_done_check": "releases_release_rows_done_check",
        "winogavil_releases_release_rows_wanted_check": "releases_release_rows_wanted_check",
        "winogavil_releases_release_selection_threshold_check": "releases_release_selection_threshold_check",
        "winogavil_releases_release_made_by_id_a5062451_fk_hits_user_id": (
            "releases_release_made_by_id_b5e44314_fk_hits_user_id"
        ),
        "winogavil_releases_r_released_by_id_9a4880f9_fk_hits_user": (
            "releases_release_released_by_id_d39f5872_fk_hits_user_id"
        ),
        "winogavil_releases_release_study_id_20b5d96d_fk_hits_study_id": (
            "releases_release_study_id_937d017c_fk_hits_study_id"
        ),
    },
    "winogavil_releases_prediction": {
        "winogavil_releases_p_release_id_60870a52_fk_winogavil": (
            "winogavil_releases_p_release_id_60870a52_fk_releases_"
        ),
    },
    "winogavil_releases_releaseitem": {
        "winogavil_releases_r_release_id_3dea57ed_fk_winogavil": (
            "winogavil_releases_r_release_id_3dea57ed_fk_releases_"
        ),
    },
}
INDEXES = {
    "winogavil_releases_release_made_by_id_a5062451": "releases_release_made_by_id_b5e44314",
    "winogavil_releases_release_released_by_id_9a4880f9": "releases_release_released_by_id_d39f5872",
    "winogavil_releases_release_study_id_20b5d96d": "releases_release_study_id_937d017c",
}


def rename(apps, schema_editor):
    for table, names in CONSTRAINTS.items():
        rename_constraints(schema_editor, table=table, names=names)
    rename_indexes(schema_editor, names=INDEXES)


class Migration(migrations.Migration):
    dependencies = [
        ("releases", "0002_families_splits_and_pictures"),
        ("winogavil_releases", "0004_release_belongs_to_its_own_room"),
    ]
    operations = [migrations.RunPython(rename, migrations.RunPython.noop)]
