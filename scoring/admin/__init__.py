from scoring.admin import questions, rivals, studies, verdicts

__all__ = ["questions", "rivals", "studies", "verdicts"]
