"""Laws of Gaussian discriminant analysis: learning is +, unlearning −, and classes come and go."""

import numpy as np
from clouds import EVERY, LABELS, alike, clouds, few, model, near, over, seeds, weights
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal


@over(EVERY)
@few
@given(seed=seeds, cut=st.integers(30, 60))
def test_learnt_in_parts_is_learnt_at_once(options, seed, cut):
    X, y = clouds(seed, offset=100.0)
    w, labels = weights(seed, len(y)), LABELS[y]
    whole = model(options).fit(X, labels, w)
    parts = [slice(cut), slice(cut, 70), slice(70, None)]
    models = [model(options).partial_fit(X[p], labels[p], sample_weight=w[p]) for p in parts]
    alike(sum(models), whole, X)
    alike(models[2] + models[0] + models[1], whole, X)
    assert (models[0] + models[1]).counts_ == (models[1] + models[0]).counts_
    for p in parts[1:]:
        models[0].partial_fit(X[p], labels[p], sample_weight=w[p])
    alike(models[0], whole, X)
    single = model(options)
    for i in range(30):
        single.partial_fit(X[[i]], labels[[i]], sample_weight=w[[i]])
    alike(single.partial_fit(X[30:], labels[30:], sample_weight=w[30:]), whole, X)
    assert_allclose(single.shrinkage_, whole.shrinkage_, rtol=1e-9, atol=1e-12)


@over(EVERY)
@few
@given(seed=seeds)
def test_forgotten_was_never_learnt(options, seed):
    X, y = clouds(seed, offset=10.0)
    w, labels, first = weights(seed, len(y)), LABELS[y], slice(60)
    never = model(options).fit(X[first], labels[first], w[first])
    learnt = model(options).fit(X, labels, w)
    learnt.forget(X[60:], labels[60:], w[60:])
    near(learnt.counts_, never.counts_, 1e-11)  # of what is left, hence 1e-12 of what was learnt
    assert_allclose(learnt.predict_proba(X), never.predict_proba(X), rtol=1e-7, atol=1e-9)
    more = np.full(5, "elk")  # a class that comes and goes
    learnt.partial_fit(1e3 * X[60:65], more).forget(1e3 * X[60:65], more)
    assert learnt.classes_.tolist() == never.classes_.tolist()
    assert_allclose(learnt.class_count_, never.class_count_)


@over(EVERY)
@few
@given(seed=seeds)
def test_weight_means_repetition_and_none_means_absence(options, seed):
    X, y = clouds(seed)
    w = weights(seed, len(y))
    weighted = model(options).fit(X, LABELS[y], w)
    again = np.repeat(np.arange(len(y)), w.astype(int))
    alike(weighted, model(options).fit(X[again], LABELS[y[again]]), X)
    strange, labels = np.vstack([X, 1e6 * X]), np.concatenate([LABELS[y], np.full(len(y), "elk")])
    alike(weighted, model(options).fit(strange, labels, np.concatenate([w, 0.0 * w])), X)
    halves = model(options).fit(X, LABELS[y], w / 2).partial_fit(X, LABELS[y], sample_weight=w / 2)
    alike(weighted, halves, X)


def test_statistics_are_the_same_bits_for_any_number_of_threads():
    from threadpoolctl import threadpool_limits

    X, y = clouds(7, N=3000, d=60)
    for options in ({}, {"covariance": "per_class", "shrinkage": "auto"}, {"covariance": "diagonal"}):
        found = []
        for threads in (1, 2):
            with threadpool_limits(threads):
                found.append(model(options).fit(X, y).counts_)
        assert found[0] == found[1]


def test_digits_survive_where_the_data_lie_far_from_zero():
    random = np.random.default_rng(3)
    z, y, zero = random.integers(-50, 50, (200, 3)).astype(float), np.arange(200) % 2, 2.0**40
    for options in ({}, {"estimate": "bayes"}):
        near_zero, far = model(options).fit(z, y), model(options).fit(z + zero, y)
        assert_allclose(far.covariance_, near_zero.covariance_, rtol=1e-13, atol=1e-12)
        far.forget(z[80:] + zero, y[80:]).partial_fit(z[80:] + zero, y[80:])
        assert_allclose(far.covariance_, near_zero.covariance_, rtol=1e-11, atol=1e-10)
        # Scores have lost what the last bits of x·W and of the means are worth: 10⁻⁴ of a feature here.
        assert_allclose(far.predict_proba(z + zero), near_zero.predict_proba(z), rtol=1e-4)


@over(EVERY)
def test_a_declared_class_waits_with_probability_zero_and_is_never_dropped(options):
    X, y = clouds(41)
    plain = model(options).fit(X, LABELS[y])
    waiting = model(options).partial_fit(X, LABELS[y], classes=[*LABELS, "elk"])
    assert waiting.classes_.tolist() == [*LABELS, "elk"]
    assert_allclose(waiting.predict_proba(X)[:, :3], plain.predict_proba(X), rtol=1e-9, atol=1e-12)
    assert_array_equal(waiting.predict_proba(X)[:, 3:], 0.0)
    waiting.partial_fit(X[:20] + 1.0, np.full(20, "elk")).forget(X[:20] + 1.0, np.full(20, "elk"))
    assert waiting.classes_.tolist() == [*LABELS, "elk"]
    assert not np.isnan(waiting.credible_interval(X)).any()
    if options.get("estimate") in ("map", "bayes"):
        waiting.set_params(class_prior="smoothed").partial_fit(X[:1], LABELS[y[:1]])
        assert (waiting.predict_proba(X)[:, 3] > 0.0).all()


@over(EVERY)
def test_what_is_wholly_forgotten_can_learn_again(options):
    X, y = clouds(43)
    fitted = model(options).fit(X, LABELS[y]).forget(X, LABELS[y])
    assert fitted.classes_.tolist() == []
    again = model(options).fit(X, y)
    alike(fitted.partial_fit(X, y), again, X)


@over(EVERY)
def test_no_data_is_the_neutral_element(options):
    X, y = clouds(45)
    fitted = model(options).fit(X, y)
    none = fitted._family().count(X[:0], y[:0], None, 3)
    assert fitted.counts_ + none == none + fitted.counts_ == fitted.counts_
    assert fitted.counts_ - none == fitted.counts_


@over(EVERY)
def test_one_class_is_predicted_always(options):
    X, _ = clouds(47)
    fitted = model(options).fit(X, ["only"] * len(X))
    assert set(fitted.predict(X)) == {"only"}
    assert_array_equal(fitted.predict_proba(X), 1.0)
    assert_array_equal(fitted.credible_interval(X), 0.0)
    assert fitted.explain(X[:1])[0].terms == []
