from django.apps import AppConfig


class WhoopsConfig(AppConfig):
    name = "crowd.whoops"
    verbose_name = "Weird images"

    def ready(self) -> None:
        from crowd.pictures import removal
        from crowd.whoops.asking.annotate import AnnotateFamily
        from crowd.whoops.asking.answers import AnswersFamily
        from crowd.whoops.asking.captions import CaptionsFamily
        from crowd.whoops.asking.control import ControlFamily
        from crowd.whoops.asking.design import DesignFamily
        from crowd.whoops.asking.examples import ExamplesFamily
        from crowd.whoops.asking.explanations import ExplanationsFamily
        from crowd.whoops.asking.identify import IdentifyFamily
        from crowd.whoops.asking.obstacles import ProjectDoor
        from crowd.whoops.exporting.export import WhoopsExport
        from crowd.whoops.roles import extend_roles_table
        from crowd.whoops.services.pulling import follow_pictures
        from hits import doors, exports, families

        for family in (DesignFamily, ControlFamily, AnnotateFamily, ExamplesFamily):
            families.register(family())
        for judged in (IdentifyFamily, ExplanationsFamily, AnswersFamily, CaptionsFamily):
            families.register(judged())
        doors.register(ProjectDoor())
        exports.register(WhoopsExport())
        removal.on_change(follow_pictures)

        extend_roles_table()

    def lay_first_rows(self, *, using: str) -> None:
        from crowd.whoops.first_rows import lay_categories

        lay_categories(self.get_model("Category"), using=using)
