"""The rules of weird images, without a database."""

# Tasks, as items and batches name them.
DESIGN = "whoops.design"
CONTROL = "whoops.control"
ANNOTATE = "whoops.annotate"
EXAMPLES = "whoops.examples"
IDENTIFY = "whoops.identify"
EXPLAIN = "whoops.explanations"
VERIFY = "whoops.answers"
RATE = "whoops.captions"
# What is asked about an image, of three people each.
JUDGED = (IDENTIFY, EXPLAIN, VERIFY, RATE)
# What an option that was marked is worth: the measure is the option's own, "option-1" and so on.
OPTION = "option-{number}"
# Whose an explanation is; every other source is the name of a model.
PEOPLE = "people"
DESIGNER = "designer"
OURS = (PEOPLE, DESIGNER)
