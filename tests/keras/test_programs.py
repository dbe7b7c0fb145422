"""Programs as people write them with Keras and `tf`: the losses are those of the same text on TensorFlow."""

import numpy as np
import pytest

import gradtape as tf

keras = tf.keras
layers = keras.layers


def wave(*shape, rate=0.7, start=0.3):
    """Numbers between -1 and 1 that look random enough."""
    n = np.arange(np.prod(shape), dtype=np.float64)
    return np.sin(start + rate * n + 0.013 * n * n).reshape(shape).astype(np.float32)


def prepared(model):
    """The model with weights from a formula; biases and scales stay as Keras makes them."""
    for i, v in enumerate(model.trainable_variables):
        if len(v.shape) > 1:
            v.assign(wave(*v.shape, rate=0.37 + 0.05 * i) * np.sqrt(2.0 / np.prod(v.shape[:-1])))
    return model


def dense(*sizes, activation="tanh"):
    hidden = [layers.Dense(n, activation=activation) for n in sizes[1:-1]]
    return prepared(keras.Sequential([keras.Input((sizes[0],)), *hidden, layers.Dense(sizes[-1])]))


def gan():
    class GAN(keras.Model):
        def __init__(self):
            super().__init__()
            self.generator, self.discriminator = dense(3, 8, 2), dense(2, 8, 1)
            self.g_loss, self.d_loss = keras.metrics.Mean(name="g_loss"), keras.metrics.Mean(name="d_loss")

        @property
        def metrics(self):
            return [self.g_loss, self.d_loss]

        def compile(self, g_optimizer, d_optimizer, loss_fn):
            super().compile()
            self.g_optimizer, self.d_optimizer, self.loss_fn = g_optimizer, d_optimizer, loss_fn

        def train_step(self, data):
            real, noise = data
            size = tf.shape(real)[0]
            with tf.GradientTape() as tape:
                scores = self.discriminator(tf.concat([self.generator(noise), real], axis=0))
                wanted = tf.concat([tf.ones((size, 1)), tf.zeros((size, 1))], axis=0)
                d_loss = self.loss_fn(wanted, scores)
            weights = self.discriminator.trainable_weights
            self.d_optimizer.apply_gradients(zip(tape.gradient(d_loss, weights), weights, strict=True))
            with tf.GradientTape() as tape:
                g_loss = self.loss_fn(tf.zeros((size, 1)), self.discriminator(self.generator(noise)))
            weights = self.generator.trainable_weights
            self.g_optimizer.apply_gradients(zip(tape.gradient(g_loss, weights), weights, strict=True))
            self.g_loss.update_state(g_loss)
            self.d_loss.update_state(d_loss)
            return {"g_loss": self.g_loss.result(), "d_loss": self.d_loss.result()}

    model = GAN()
    model.compile(
        keras.optimizers.Adam(0.01, beta_1=0.5),
        keras.optimizers.Adam(0.01, beta_1=0.5),
        keras.losses.BinaryCrossentropy(from_logits=True),
    )
    data = (wave(32, 2) * [1.0, 0.2] + [0.5, 1.0]).astype("float32"), wave(32, 3, rate=1.1)
    history = model.fit(*data, batch_size=8, epochs=3, shuffle=False, verbose=0).history
    return [*history["g_loss"], *history["d_loss"]]


def wasserstein():
    generator, critic = dense(3, 8, 2), dense(2, 8, 8, 1)
    real, noise = tf.constant(wave(16, 2) + 1.0), tf.constant(wave(16, 3, rate=1.1))
    d_optimizer, g_optimizer = keras.optimizers.RMSprop(0.01), keras.optimizers.Adam(0.01, beta_1=0.0)
    mix = tf.constant((wave(16, 1, rate=0.9) + 1) / 2)

    @tf.function
    def critic_step():
        with tf.GradientTape() as tape:
            fake = generator(noise, training=True)
            between = real + mix * (fake - real)
            with tf.GradientTape() as inner:
                inner.watch(between)
                score = critic(between, training=True)
            slopes = inner.gradient(score, between)
            penalty = tf.reduce_mean((tf.sqrt(tf.reduce_sum(tf.square(slopes), axis=1)) - 1.0) ** 2)
            loss = tf.reduce_mean(critic(fake)) - tf.reduce_mean(critic(real)) + 10.0 * penalty
        d_optimizer.apply_gradients(
            zip(tape.gradient(loss, critic.trainable_variables), critic.trainable_variables, strict=True)
        )
        return loss

    @tf.function
    def generator_step():
        with tf.GradientTape() as tape:
            loss = -tf.reduce_mean(critic(generator(noise, training=True)))
        gradients = tape.gradient(loss, generator.trainable_variables)
        g_optimizer.apply_gradients(zip(gradients, generator.trainable_variables, strict=True))
        return loss

    return [float(step()) for _ in range(6) for step in (critic_step, critic_step, generator_step)]


def autoencoder():
    class Sampling(layers.Layer):
        def call(self, inputs):
            mean, log_var, noise = inputs
            return mean + tf.exp(0.5 * log_var) * noise

    class VAE(keras.Model):
        def __init__(self):
            super().__init__()
            x, noise = keras.Input((6,)), keras.Input((2,))
            h = layers.Dense(8, activation="relu")(x)
            mean, log_var = layers.Dense(2, name="mean")(h), layers.Dense(2, name="log_var")(h)
            self.encoder = prepared(keras.Model([x, noise], [mean, log_var, Sampling()([mean, log_var, noise])]))
            self.decoder = dense(2, 8, 6, activation="relu")
            self.trackers = [keras.metrics.Mean(name=n) for n in ("loss", "reconstruction", "kl")]

        @property
        def metrics(self):
            return self.trackers

        def train_step(self, data):
            (x, noise), _ = data
            with tf.GradientTape() as tape:
                mean, log_var, z = self.encoder([x, noise])
                likely = tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=self.decoder(z))
                reconstruction = tf.reduce_mean(tf.reduce_sum(likely, axis=1))
                kl = -0.5 * (1 + log_var - tf.square(mean) - tf.exp(log_var))
                kl = tf.reduce_mean(tf.reduce_sum(kl, axis=1))
                loss = reconstruction + kl
            gradients = tape.gradient(loss, self.trainable_weights)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_weights, strict=True))
            for tracker, value in zip(self.trackers, (loss, reconstruction, kl), strict=True):
                tracker.update_state(value)
            return {m.name: m.result() for m in self.metrics}

    model = VAE()
    model.compile(keras.optimizers.Adam(0.01))
    x = [(wave(32, 6) > 0).astype("float32"), wave(32, 2, rate=1.3)]
    history = model.fit(x, np.zeros(32, "float32"), batch_size=8, epochs=3, shuffle=False, verbose=0).history
    return [v for name in ("loss", "reconstruction", "kl") for v in history[name]]


def meta_learning():
    model = dense(1, 8, 8, 1)
    optimizer, losses = keras.optimizers.Adam(0.01), []
    for _ in range(12):
        with tf.GradientTape() as outer:
            total = 0.0
            for task in range(3):
                x = tf.constant(wave(10, 1, rate=0.5 + task))
                y = tf.sin(x * (1.0 + task))
                with tf.GradientTape() as inner:
                    inner_loss = tf.reduce_mean(tf.square(model(x) - y))
                gradients = inner.gradient(inner_loss, model.trainable_variables)
                fast = [w - 0.1 * g for w, g in zip(model.trainable_variables, gradients, strict=True)]
                predicted, _ = model.stateless_call(fast, [], x * 0.5)
                total += tf.reduce_mean(tf.square(predicted - tf.sin(x * 0.5 * (1.0 + task))))
        gradients = outer.gradient(total, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        losses.append(float(total))
    return losses


def physics():
    model = dense(2, 12, 12, 1)
    optimizer = keras.optimizers.Adam(keras.optimizers.schedules.ExponentialDecay(0.01, 5, 0.9))
    t, x = tf.constant((wave(40, 1) + 1) / 2), tf.constant(wave(40, 1, rate=1.9))

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            with tf.GradientTape(persistent=True) as second:
                second.watch([t, x])
                with tf.GradientTape(persistent=True) as first:
                    first.watch([t, x])
                    u = model(tf.concat([t, x], axis=1))
                u_t, u_x = first.gradient(u, t), first.gradient(u, x)
            u_xx = second.gradient(u_x, x)
            start = model(tf.concat([tf.zeros_like(x), x], axis=1)) + tf.sin(np.pi * x)
            loss = tf.reduce_mean(tf.square(u_t + u * u_x - 0.01 * u_xx)) + tf.reduce_mean(tf.square(start))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    return [float(step()) for _ in range(12)]


def transfer():
    base = prepared(
        keras.Sequential(
            [
                keras.Input((8, 8, 1)),
                layers.Conv2D(4, 3, activation="relu"),
                layers.BatchNormalization(),
                layers.GlobalAveragePooling2D(),
            ]
        )
    )
    base.trainable = False
    x = keras.Input((8, 8, 1))
    model = keras.Model(x, layers.Dense(1)(base(x, training=False)))
    prepared(model)
    images, wanted = wave(24, 8, 8, 1), (np.arange(24) % 2).astype("float32")
    loss = keras.losses.BinaryCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.05), loss, metrics=[keras.metrics.BinaryAccuracy()])
    frozen = base.get_weights()
    found = model.fit(images, wanted, batch_size=8, epochs=3, shuffle=False, verbose=0).history["loss"]
    assert all(np.array_equal(a, b) for a, b in zip(frozen, base.get_weights(), strict=True))
    base.trainable = True
    model.compile(keras.optimizers.Adam(0.01), loss)
    found += model.fit(images, wanted, batch_size=8, epochs=3, shuffle=False, verbose=0).history["loss"]
    assert not np.array_equal(frozen[0], base.get_weights()[0])
    return found


def own_parts():
    class Scaled(layers.Layer):
        def __init__(self, units, **kwargs):
            super().__init__(**kwargs)
            self.units = units

        def build(self, input_shape):
            self.w = self.add_weight(shape=(input_shape[-1], self.units), initializer="ones", name="w")
            self.scale = self.add_weight(shape=(), initializer="ones", trainable=False, name="scale")

        def call(self, inputs, training=False):
            if training:
                self.scale.assign(self.scale * 0.9)
            self.add_loss(1e-2 * tf.reduce_sum(tf.square(self.w)))
            return tf.matmul(inputs, self.w) * self.scale

    class Largest(keras.metrics.Metric):
        def __init__(self, name="largest", **kwargs):
            super().__init__(name=name, **kwargs)
            self.total = self.add_weight(name="total", initializer="zeros")

        def update_state(self, y_true, y_pred, sample_weight=None):
            self.total.assign(tf.maximum(self.total, tf.reduce_max(tf.abs(y_true - y_pred))))

        def result(self):
            return self.total

    def loss(y_true, y_pred):
        error = y_true - y_pred
        return tf.where(tf.abs(error) < 0.5, 0.5 * error**2, 0.5 * tf.abs(error) - 0.125)

    class Net(keras.Model):
        def __init__(self):
            super().__init__()
            # a regularizer of outputs is divided by the size of the batch since Keras 3.14
            by_example = tuple(map(int, keras.version().split(".")[:2])) >= (3, 14)
            small = keras.regularizers.L2(0.01 if by_example else 0.01 / 8)
            self.hidden = layers.Dense(6, activation=tf.nn.silu, activity_regularizer=small)
            self.out = Scaled(1)

        def call(self, x, training=False):
            return self.out(self.hidden(x), training=training)

    model, x = Net(), wave(32, 4)
    model(x[:1])
    prepared(model)
    model.compile("sgd", loss, metrics=[Largest(), "mae"])
    history = model.fit(
        x, np.sum(x, 1, keepdims=True), sample_weight=(wave(32) + 1), batch_size=8, epochs=3, shuffle=False, verbose=0
    ).history
    return [*history["loss"], *history["largest"], *history["mae"]]


def several_inputs():
    title, number = keras.Input((5,), dtype="int32", name="title"), keras.Input((3,), name="number")
    text = layers.GlobalMaxPooling1D()(layers.Embedding(11, 4)(title))
    joined = layers.Concatenate()([text, layers.Dense(4, activation="relu")(number)])
    model = keras.Model(
        {"title": title, "number": number},
        {"price": layers.Dense(1, name="price")(joined), "kind": layers.Dense(3, activation="softmax")(joined)},
    )
    prepared(model)
    model.compile(
        keras.optimizers.SGD(0.1, momentum=0.9),
        loss={"price": "mse", "kind": "sparse_categorical_crossentropy"},
        loss_weights={"price": 0.3, "kind": 1.0},
        metrics={"kind": ["accuracy"]},
    )
    n = np.arange(32)
    x = {"title": (np.arange(160).reshape(32, 5) * 7 % 11).astype("int32"), "number": wave(32, 3)}
    y = {"price": wave(32, 1), "kind": (n % 3).astype("int32")}
    options = {"batch_size": 8, "shuffle": False, "verbose": 0}
    history = model.fit(x, y, epochs=3, validation_split=0.25, **options).history
    return [v for name in sorted(history) for v in history[name]]


def checkpoints(folder):
    x, y = wave(16, 4), wave(16, 1, rate=2.0)

    def made():
        model = dense(4, 6, 1)
        model.compile(keras.optimizers.Adam(0.02), "mse")
        return model

    options = {"epochs": 3, "batch_size": 8, "shuffle": False, "verbose": 0}
    first = made()
    path = f"{folder}/model.weights.h5"
    keep = keras.callbacks.ModelCheckpoint(path, save_weights_only=True)
    found = first.fit(x, y, callbacks=[keep], **options).history["loss"]
    second = made()
    second.optimizer.build(second.trainable_variables)
    second.load_weights(path)
    found += second.fit(x, y, **options).history["loss"]
    first.save(f"{folder}/model.keras")
    return found + keras.models.load_model(f"{folder}/model.keras").fit(x, y, **options).history["loss"]


def loop():
    model, optimizer = dense(5, 8, 3), keras.optimizers.Adam(0.02)
    loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    accuracy, mean = keras.metrics.SparseCategoricalAccuracy(), keras.metrics.Mean()

    @tf.function
    def train_step(x, y):
        with tf.GradientTape() as tape:
            logits = model(x, training=True)
            loss = loss_fn(y, logits) + 1e-3 * tf.add_n([tf.nn.l2_loss(w) for w in model.trainable_weights])
        optimizer.apply_gradients(
            zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables, strict=True)
        )
        accuracy.update_state(y, logits)
        mean.update_state(loss)
        return loss

    x, y = wave(24, 5), (np.arange(24) % 3).astype("int32")
    found = []
    for _ in range(3):
        for i in range(0, 24, 8):
            loss = train_step(tf.constant(x[i : i + 8]), tf.constant(y[i : i + 8]))
            found.append(float(loss))
        found += [float(accuracy.result()), float(mean.result())]
        accuracy.reset_state()
        mean.reset_state()
    return found


# By Keras 3.15.1 on TensorFlow 2.21.
EXPECTED = {
    "gan": """
        0.75974 0.70792 0.66113 0.63224 0.62683 0.62973
    """,
    "wasserstein": """
        2.4625 1.725 0.015989 1.0417 0.82791 0.045671 0.72965 0.59252 0.07277 0.53246 0.41787 0.097066 0.377
        0.27159 0.11833 0.23549 0.13158 0.13781
    """,
    "autoencoder": """
        4.8994 4.5283 4.3532 4.5762 4.3189 4.2056 0.32318 0.20942 0.14764
    """,
    "meta_learning": """
        0.21073 0.17554 0.15266 0.13646 0.12408 0.11459 0.10758 0.10284 0.10029 0.099664 0.10031 0.10128
    """,
    "physics": """
        0.38495 0.2816 0.24902 0.25548 0.25632 0.24093 0.21897 0.2001 0.18852 0.18372 0.1828 0.18269
    """,
    "transfer": """
        0.71424 0.69276 0.68955 0.69866 0.68873 0.68097
    """,
    "own_parts": """
        0.31405 0.2968 0.30253 2.3924 2.5029 2.5748 0.69606 0.65524 0.64651
    """,
    "several_inputs": """
        0.29167 0.33333 0.375 1.1171 1.1021 1.0854 1.3745 1.3172 1.267 0.85812 0.71686 0.60507 0.875 0.625
        0.625 0.97529 0.99867 1.042 1.1774 1.1728 1.1823 0.67363 0.58053 0.46753
    """,
    "checkpoints": """
        0.74179 0.59607 0.50936 0.46001 0.43111 0.41058 0.46001 0.43111 0.41058
    """,
    "loop": """
        1.1276 1.0929 1.0984 0.29167 1.1063 1.0592 1.0337 1.0123 0.58333 1.0351 1.0314 1.002 0.94218 0.58333
        0.99186
    """,
}

PROGRAMS = [
    gan,
    wasserstein,
    autoencoder,
    meta_learning,
    physics,
    transfer,
    own_parts,
    several_inputs,
    checkpoints,
    loop,
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_losses(program, tmp_path):
    found = program(tmp_path) if program is checkpoints else program()
    expected = [float(word) for word in EXPECTED[program.__name__].split()]
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-5)
