"""Numbers with their nouns, in the English of the staff's pages."""


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
