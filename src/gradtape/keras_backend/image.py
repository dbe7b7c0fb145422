"""Image operations for Keras: none yet; each says so when it is called."""

from gradtape.keras_backend.missing import missing

__getattr__ = missing("image")
