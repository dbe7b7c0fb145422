"""`tf.keras`: real Keras 3, running on gradtape. Importing this module imports Keras and takes its place."""

import sys

from gradtape.keras_backend.finder import load

sys.modules[__name__] = load()
