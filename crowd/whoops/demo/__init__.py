"""The demo of weird images: a designer, a control group, annotators and judges."""
