"""The mixin that Keras gives every layer; gradtape needs nothing there."""


class NumpyLayer:
    """A layer on gradtape."""
