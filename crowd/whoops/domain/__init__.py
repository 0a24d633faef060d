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
# Tasks in which people judge an image.
JUDGED = (IDENTIFY, EXPLAIN, VERIFY, RATE)
# The measure of one option, "option-1" and so on; a marked option scores 1.
OPTION = "option-{number}"
# Sources of explanations; every other source is the name of a model.
PEOPLE = "people"
DESIGNER = "designer"
OURS = (PEOPLE, DESIGNER)
