"""The machinery of `tf.function`: captures, programs, passes and replays."""
