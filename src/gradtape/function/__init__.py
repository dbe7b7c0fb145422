"""`tf.function`."""
