"""Public functions, captured for some values and replayed for others: no value has become a constant on the way."""

import warnings

import numpy as np
import pytest

import gradtape as tf
from gradtape.base import nest
from gradtape.core.tensor import Tensor, exact

EXPRESSIONS = [
    "tf.random.normal([3]) + f",
    "tf.random.uniform([2,2],maxval=9,dtype=tf.int32)",
    "tf.random.uniform([2],minval=f[0]-4,maxval=f[2])",
    "tf.random.truncated_normal([3],seed=4)*f",
    "tf.random.shuffle(m)",
    "tf.random.categorical(P,5)",
    "tf.random.gamma([2],tf.abs(f),beta=2.0)",
    "tf.random.poisson([2],tf.abs(f))",
    "tf.random.stateless_normal([2],seed=i64)",
    "tf.random.stateless_uniform([2],seed=i64,minval=None,maxval=None,dtype=tf.int32)",
    "tf.random.stateless_categorical(P,3,seed=i64)",
    "tf.random.stateless_gamma([3],i64,tf.abs(f))",
    "tf.random.stateless_poisson([3],i64,tf.abs(f))",
    "tf.random.stateless_binomial([3],i64,10,0.5)",
    "tf.random.split(i64,3)",
    "tf.random.fold_in(i64,i[0])",
    "tf.nn.dropout(m,0.5)",
    "tf.nn.dropout(f,0.5,seed=3)",
    "tf.nn.dropout(f,tf.abs(f[0])/10)",
    "tf.nn.experimental.stateless_dropout(f,0.5,seed=i64)",
    "tf.gather(m,i)",
    "tf.gather(m,i,axis=1)",
    "tf.gather(x,[[0],[1]],batch_dims=1)",
    "tf.gather(m,lab[:,None],batch_dims=1)",
    "tf.gather_nd(m,tf.stack([i,lab],1))",
    "tf.gather_nd(x,i64[:,None],batch_dims=1)",
    "tf.gather_nd(m,i[:,None]+1,bad_indices_policy='IGNORE')",
    "tf.boolean_mask(f,bo)",
    "f[bo]",
    "tf.boolean_mask(m,bo)",
    "tf.where(bo)",
    "tf.where(bo,f,0.)",
    "tf.one_hot(lab,5)",
    "tf.one_hot(lab,5,on_value=f[0],off_value=f[1])",
    "tf.sequence_mask(lab)",
    "tf.sequence_mask(lab,5)",
    "tf.reverse_sequence(m,lab,seq_axis=1)",
    "tf.unravel_index(i,[2,2])",
    "tf.dynamic_partition(f,lab%2,2)",
    "tf.dynamic_stitch([i[:1],i[1:]],[f[:1],f[1:]])",
    "tf.unique(st)",
    "tf.unique(lab)",
    "tf.unique_with_counts(lab)",
    "tf.searchsorted(tf.sort(v),[0.,0.5])",
    "tf.scatter_nd(i[:,None],f,[4])",
    "tf.tensor_scatter_nd_update(f,i[:,None],f*2)",
    "tf.tensor_scatter_nd_add(f,i[:2,None],f[:2])",
    "tf.tensor_scatter_nd_max(f,i[:,None],f+1)",
    "tf.math.top_k(m,2)",
    "tf.math.in_top_k(i,-P,2)",
    "tf.math.confusion_matrix(lab,i)",
    "tf.math.bincount(lab)",
    "tf.math.invert_permutation(i)",
    "tf.math.segment_sum(f,[0,0,1])",
    "tf.math.segment_max(m,lab*0)",
    "tf.math.segment_mean(m,tf.sort(lab))",
    "tf.math.unsorted_segment_sum(f,lab,4)",
    "tf.math.unsorted_segment_mean(f,lab-1,4)",
    "tf.math.unsorted_segment_prod(f,lab,4)",
    "tf.math.unsorted_segment_max(f,lab,4)",
    "tf.nn.sparse_softmax_cross_entropy_with_logits(lab,m)",
    "tf.nn.embedding_lookup(m,i)",
    "tf.nn.max_pool_with_argmax(img,2,2,'SAME')",
    "tf.nn.dilation2d(img,tf.ones([2,2,3],tf.float64),[1]*4,'VALID','NHWC',[1]*4)",
    "tf.math.zero_fraction(f-1)",
    "tf.math.cumulative_logsumexp(f,exclusive=True)",
    "tf.linalg.pinv(m)",
    "tf.linalg.pinv(m,rcond=tf.abs(f[0])/9)",
    "tf.linalg.lstsq(s,m)",
    "tf.linalg.lu_solve(*tf.linalg.lu(pd),m)",
    "tf.linalg.lu_reconstruct(*tf.linalg.lu(pd))",
    "tf.linalg.diag(f,padding_value=f[0])",
    "tf.linalg.expm(s)",
    "tf.linalg.det(s)",
    "tf.math.polygamma(1.0,tf.abs(f))",
    "f//2",
    "im%2",
    "tf.range(lab[0])",
    "tf.range(f[0]-5,f[2])",
    "tf.fill(lab[:2]+1,f[0])",
    "tf.zeros(lab+1)",
    "tf.reshape(f,lab[:1]*0+3)",
    "tf.ones(tf.shape(m))",
    "tf.tile(f,lab[:1]+1)",
    "tf.repeat(f,lab)",
    "tf.constant(f,shape=[3])",
    "tf.broadcast_to(f,[2,3])*tf.cast(lab,tf.float32)",
    "f[lab[2]:]",
    "m[i[0]]",
    "m[i[0],lab[0]]",
    "tf.cond(f[0]>0,lambda:f*2,lambda:f)",
    "tf.while_loop(lambda k,a:k<lab[0],lambda k,a:(k+1,a*2),[0,f])",
    "tf.map_fn(lambda a:a*2,f)",
    "tf.scan(lambda a,b:a*b,f)",
    "tf.foldl(lambda a,b:a-b,f)",
    "tf.switch_case(lab[0],[lambda:f,lambda:f*2,lambda:f*3])",
    "tf.vectorized_map(lambda a:a*2,f)",
    "tf.debugging.check_numerics(f,'m')",
    "tf.debugging.check_numerics(1/(f-1),'m')",
    "tf.debugging.assert_equal(f[0],1.)",
    "tf.debugging.assert_less(f,5.)",
    "tf.debugging.Assert(f[0]>0,[f])",
    "tf.numpy_function(lambda a:a*2,[f],tf.float32)",
    "tf.numpy_function(lambda a:(a*2,a+1),[f],[tf.float32,tf.float32])",
    "tf.py_function(lambda a:a*2,[f],tf.float32)",
    "tf.constant(float(f[0]))",
    "tf.constant(f.numpy()*2)",
    "np.sin(f)",
    "np.sum(f)",
    "np.nanmean(f)",
    "tf.constant(f'{f[0]:.3f}')",
    "tf.stop_gradient(f)*f",
    "tf.recompute_grad(lambda a:a*a)(f)",
    "tf.grad_pass_through(tf.round)(f)",
    "tf.custom_gradient(lambda a:(a*2,lambda d:d*a))(f)",
    "tf.nn.leaky_relu(lab)",
    "tf.argmax(f), tf.reduce_max(f), tf.argsort(f)",
    "tf.math.reduce_std(f), tf.math.reduce_variance(m,0)",
    "tf.image.resize(img,[2,2])",
    "tf.image.adjust_contrast(img,2.)",
    "tf.image.random_flip_left_right(img)",
    "tf.image.random_brightness(img,0.5)",
    "tf.norm(f)",
    "G tf.nn.dropout(v*v,0.5)",
    "G tf.gather(m*m,i)",
    "G tf.linalg.det(s)",
    "G tf.linalg.pinv(m)",
    "G tf.linalg.expm(s)",
    "G tf.linalg.lu(pd)[0]",
    "G tf.boolean_mask(m,bo)",
    "G tf.custom_gradient(lambda a:(a*2,lambda d:d*a))(f)",
    "G tf.recompute_grad(lambda a:a*a)(f)",
    "G tf.grad_pass_through(tf.round)(f)*f",
    "G tf.stop_gradient(f)*f",
    "G tf.where(f>0,tf.sqrt(f),0.)",
    "G tf.math.segment_max(m,[0,0,1])",
    "G tf.clip_by_norm(f,1.)",
    "G tf.reduce_max(m)",
    "G tf.cond(f[0]>0,lambda:f*2,lambda:f*f)",
    "m[-i[0]-1,2]",
    "x[1,i[0],lab[1]-4]",
    "m[i[0]+1]",
    "f[lab[0]]",
    "G m[i[0],lab[0]]",
    "G x[i64[0]]",
    "m[i[0]:,0]",
    "tf.sparse.to_dense(tf.sparse.from_dense(f))",
    "np.asarray(f) * 2 + f",
    "im // (tf.cast(lab, tf.int64)[:, None] + 1)",
    "tf.math.confusion_matrix(lab, i, num_classes=4, weights=lab)",
]
"""Of the tensors below; with a G in front it is the gradient for the floating ones that counts."""

FLOATING = ("f", "v", "m", "s", "pd", "x", "P", "img")


def tensors(other):
    """Two sets of values of the same shapes and dtypes."""
    rng = np.random.default_rng(int(other))

    def normal(*shape):
        return tf.constant(rng.normal(size=shape))

    a = normal(3, 3)
    return {
        "x": normal(2, 3, 4),
        "m": normal(3, 4),
        "v": normal(4),
        "s": normal(3, 3),
        "pd": a @ tf.transpose(a) + 3.0 * tf.eye(3, dtype=tf.float64),
        "P": tf.nn.softmax(normal(3, 4)),
        "img": normal(2, 4, 4, 3),
        "f": tf.constant([-1.0, 2.0, 4.0] if other else [1.0, -2.0, 3.0]),
        "i": tf.constant([1, 2, 0] if other else [2, 0, 1]),
        "i64": tf.constant([0, 1] if other else [1, 0], tf.int64),
        "lab": tf.constant([2, 0, 1] if other else [1, 3, 0]),
        "im": tf.constant(np.arange(12).reshape(3, 4) + 3 * other),
        "bo": tf.constant([False, True, True] if other else [True, False, True]),
        "st": tf.constant(["b", "b", "a"] if other else ["a", "b", "a"]),
    }


def plain(result):
    leaves = []
    for leaf in nest.flatten(result):
        found = tf.convert_to_tensor(leaf) if leaf is not None else None
        leaves.append(exact(found._value) if isinstance(found, Tensor) else found)
    return leaves


def outcome(f, values):
    tf.random.set_seed(5)
    try:
        return plain(f(values))
    except (tf.errors.OpError, ValueError, TypeError) as error:
        return [type(error).__name__, str(error)]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_replay_for_other_values(expression):
    text = expression.removeprefix("G ")
    code = compile(text, "<expression>", "eval")

    def f(values):
        names = {"tf": tf, "np": np, **values}
        if text == expression:
            return eval(code, names)
        sources = [values[name] for name in FLOATING if name in code.co_names]
        with tf.GradientTape() as tape:
            tape.watch(sources)
            target = eval(code, names)
        return tape.gradient(target, sources)

    first, second = tensors(False), tensors(True)
    captured = tf.function(f)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        expected = [outcome(f, v) for v in (first, second)]
        assert expected[0] != expected[1] or "random" in text or "zeros" in text or "ones" in text or "assert" in text
        assert [outcome(captured, v) for v in (first, second, second, first)] == [*expected, *expected[::-1]]


def test_a_concrete_function_is_for_its_python_values():
    @tf.function
    def power(a, b):
        return a**b

    square = power.get_concrete_function(tf.TensorSpec(None), b=2)
    x = tf.constant(3.0)
    assert [float(square(x)), float(square(x, b=2)), float(square(a=x))] == [9.0, 9.0, 9.0]
    for wrong in (lambda: square(x, b=3), lambda: square(x, 3)):
        with pytest.raises(TypeError, match="made for b=2, which cannot be changed"):
            wrong()
