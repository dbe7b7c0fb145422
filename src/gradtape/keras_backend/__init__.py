"""Keras' own module names, served by gradtape: thin adapters over `ops`, no maths and no derivative rules.

`finder` makes Keras find these files in the place of its NumPy backend, under its own names.
"""
