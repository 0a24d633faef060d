from django.apps import AppConfig


class WinogavilConfig(AppConfig):
    name = "crowd.winogavil"
    verbose_name = "Association game"

    def ready(self) -> None:
        from crowd.pictures import removal
        from crowd.winogavil.creating import CreateFamily
        from crowd.winogavil.creator_test import CreatorTestFamily
        from crowd.winogavil.replaying.replay import WinogavilReplay
        from crowd.winogavil.services.pulling import follow_pictures
        from crowd.winogavil.solver_test import SolverTestFamily
        from crowd.winogavil.solving import SolveFamily
        from hits import families, replays

        families.register(CreateFamily())
        families.register(SolveFamily())
        families.register(SolverTestFamily())
        families.register(CreatorTestFamily())
        replays.register(WinogavilReplay())
        removal.on_change(follow_pictures)
