"""The categories that a new database begins with."""

from typing import Any

# Categories that the paper or its appendix names. The explanations are ours.
NAMED = {
    "Art knowledge": "A known work of art is not as everybody knows it.",
    "Atypical activity": "A person or animal does what its kind does not do.",
    "Biological rules": "No living thing grows, breeds or looks like this.",
    "Folklore knowledge": "A tale, a legend or a saying goes another way.",
    "Inability to execute": "As things are, it cannot do what it is made for.",
    "Incorrect usage": "A thing is used for what it is not made for.",
    "Nutrition mismatch": "A person or animal eats or drinks what it does not live on.",
    "Physics rules": "Nature does not work like this.",
    "Symbolic inversion": "A sign or a symbol says the opposite.",
    "Temporal discrepancy": "These things belong to different times.",
    "Unnatural environment": "A living thing is far from where it lives.",
    "Unsuitable environment": "A place where the thing cannot serve its purpose.",
}
# The paper counts 26 categories and names the twelve above. These are ours, and can be renamed or merged.
OURS = {
    "Animal behavior": "No animal of this kind acts like this.",
    "Ceremony and religion": "It goes against a rite or a custom of faith.",
    "Clothing": "Nobody dresses like this for it.",
    "Color": "It never has this color.",
    "Geography": "This is not found in that part of the world.",
    "Law and traffic": "A rule of the road or a law forbids it.",
    "Material": "It is never made of this.",
    "People and fame": "A known person is with what belongs to another.",
    "Roles and professions": "Nobody of this trade does that.",
    "Safety": "A person who does this gets hurt.",
    "Size": "It is far too large or too small for it.",
    "Social norms": "People do not do that in front of others.",
    "Sports and games": "It goes against the rules of the game.",
    "Weather and seasons": "It does not fit the weather or the time of year.",
}


def mark_categories(category: Any, *, using: str) -> None:
    """Mark each category of the shared list that the paper names, or that is ours, and is not marked yet."""
    rows = category.objects.using(using).filter(project=None, origin="added")
    for origin, names, begins in (("paper", NAMED, "Named in the paper."), ("ours", OURS, "Ours.")):
        rows.filter(name__in=names, about__startswith=begins).update(origin=origin)


def lay_categories(category: Any, *, using: str) -> None:
    """Add the paper's number of categories; an existing category of the same name stays as it is."""
    rows = [category(name=name, about=f"Named in the paper. {about}") for name, about in NAMED.items()]
    rows += [category(name=name, about=f"Ours. {about}") for name, about in OURS.items()]
    category.objects.using(using).bulk_create(rows, ignore_conflicts=True)
