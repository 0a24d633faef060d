"""The steps of the exception procedure.

Every service that writes what follows from facts holds its project first, and then items: whoever is second
waits, and finds what the first has made.
"""
