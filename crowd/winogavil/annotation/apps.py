from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "crowd.winogavil.annotation"
    label = "winogavil_annotation"
    verbose_name = "Association game: annotation"

    def ready(self) -> None:
        from crowd.winogavil import humans
        from crowd.winogavil.annotation.baseline import BaselineFamily
        from crowd.winogavil.annotation.labelling import SkillsFamily, TypesFamily
        from crowd.winogavil.annotation.queries.newcomers import newcomers_of
        from crowd.winogavil.annotation.services.following import follow_associations
        from crowd.winogavil.services import pulling
        from hits import families

        for family in (TypesFamily(), SkillsFamily(), BaselineFamily()):
            families.register(family)
        humans.register_baseline(newcomers_of)
        pulling.on_change(follow_associations)
