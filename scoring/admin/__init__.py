from scoring.admin import rivals, studies, text_questions, verdicts

__all__ = ["questions", "rivals", "studies", "verdicts"]
