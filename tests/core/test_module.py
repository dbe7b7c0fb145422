"""`Module`: what it finds, in which order, and names. Expectations are TensorFlow's."""

import pytest

import gradtape as tf


class Inner(tf.Module):
    def __init__(self, name=None):
        super().__init__(name=name)
        self.w = tf.Variable(1.0, name="w")
        self.frozen = tf.Variable(2.0, name="frozen", trainable=False)


class OuterNet(tf.Module):
    def __init__(self):
        super().__init__()
        self.z = tf.Variable(0.0, name="z")
        self.layers = [Inner("first"), {"b": Inner("second"), "a": tf.Variable(3.0, name="a")}]
        self.again = self.layers[0]
        self.number, self.text, self.nothing = 3, "text", None

    @tf.Module.with_name_scope
    def make(self):
        return tf.Variable(1.0, name="made").name


class TestFinding:
    def test_variables_each_once_level_by_level(self):
        names = [v.name for v in OuterNet().variables]
        assert sorted(names) == ["a:0", "frozen:0", "frozen:0", "w:0", "w:0", "z:0"]
        assert names[:2] == ["a:0", "z:0"]

    def test_trainable_or_not(self):
        net = OuterNet()
        assert sorted(v.name for v in net.trainable_variables) == ["a:0", "w:0", "w:0", "z:0"]
        assert [v.name for v in net.non_trainable_variables] == ["frozen:0", "frozen:0"]
        assert isinstance(net.variables, tuple)

    def test_submodules(self):
        assert [m.name for m in OuterNet().submodules] == ["first", "second"]

    def test_modules_that_know_each_other(self):
        a, b = Inner("a"), Inner("b")
        a.other, b.other = b, a
        assert [m.name for m in a.submodules] == ["b"]
        assert len(a.variables) == 4

    def test_what_is_added_later_or_taken_away(self):
        module = Inner()
        module.more = tf.Variable(1.0, name="more")
        del module.w
        assert [v.name for v in module.variables] == ["frozen:0", "more:0"]

    def test_nothing(self):
        assert tf.Module().variables == ()
        assert tf.Module().submodules == ()


class TestNames:
    def test_names_come_from_the_class(self):
        assert OuterNet().name == "outer_net"
        assert Inner("given").name == "given"

    @pytest.mark.parametrize("name", ["1a", "a b", "a/b", ""])
    def test_names_are_identifiers(self, name):
        with pytest.raises(ValueError, match="not a valid module name"):
            tf.Module(name=name)

    def test_the_scope_of_methods(self):
        net = OuterNet()
        assert net.name_scope.name == "outer_net/"
        assert net.make() == "outer_net/made:0"

    def test_a_module_made_in_a_scope(self):
        with tf.name_scope("outside"):
            inner = Inner()
        assert inner.name_scope.name == "outside/inner/"


def test_gradients_of_all_variables():
    net = OuterNet()
    with tf.GradientTape() as tape:
        y = tf.add_n([v * v for v in net.trainable_variables])
    found = tape.gradient(y, net.trainable_variables)
    assert [g.numpy() for g in found] == [2.0 * v.numpy() for v in net.trainable_variables]
