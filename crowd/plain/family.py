"""Registration of questions of one's own as a family."""

from crowd.family import Family
from crowd.plain.asking.ask import PlainTask
from crowd.plain.asking.rows_policy import RowsPolicy
from crowd.plain.exporting.export import PlainExport
from crowd.plain.release_contents import PlainContents
from crowd.plain.roles import ROLES
from crowd.plain.services.page_descriptions import copy_page
from crowd.plain.services.posted_rows import follow_pictures, items_of_pictures

FAMILY = Family(
    key="plain",
    name="Questions of one's own",
    tasks=[PlainTask()],
    policies=[RowsPolicy()],
    roles=ROLES,
    audit_subjects={"plain.": "Questions of one's own"},
    tables="crowd.plain.admin.results.tables_of_study",
    tables_permission="plain.view_project",
    export=PlainExport(),
    release=PlainContents(),
    copy_study=copy_page,
    urls={"api/": "crowd.plain.api"},
    demo="crowd.plain.demo.asking.PlainDemo",
    rehearsals={PlainTask.key: "crowd.plain.rehearsed_asking.RehearsedAsking"},
    follow_pictures=follow_pictures,
    items_of_pictures=items_of_pictures,
)
