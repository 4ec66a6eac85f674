"""Where training data, checkpoints and models are."""

import os

WORK = os.environ.get("STARTER_WORK", os.path.join(os.path.dirname(os.path.abspath(__file__)), "work"))


def work(*parts):
    """A path below the work folder, whose folder exists."""
    path = os.path.join(WORK, *parts)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return path
