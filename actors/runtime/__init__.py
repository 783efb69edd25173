"""The actor runtime, built on pykka. It knows nothing about agents and prints nothing.

A feature writes a subclass of `actor.Actor`. README.md maps the other modules.
"""

import logging

logging.getLogger("greenroom").addHandler(logging.NullHandler())
