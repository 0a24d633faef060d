from scoring.admin import rivals, studies, text_questions, verdicts

__all__ = ["rivals", "studies", "text_questions", "verdicts"]
