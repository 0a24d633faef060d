from scoring.admin import rivals, studies, verdicts

__all__ = ["rivals", "studies", "verdicts"]
