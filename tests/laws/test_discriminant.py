"""Laws of Gaussian discriminant analysis: scores, estimates and certificates are those of the book."""

import json

import numpy as np
import pytest
from clouds import EVERY, LABELS, clouds, few, model, over, seeds, weights
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

from deciban.distributions.joint_gaussian import JointGaussian
from deciban.models.discriminant import GaussianDiscriminant
from deciban.threads import using
from oracle import discriminant as oracle


def rounding(X, y, w):
    """The share of a density that rounding may take: eps times the worst condition of the classes' covariances."""
    _, covariances = oracle.plug_in(X, y, w, int(y.max()) + 1, "per_class")
    return max(1e-9, np.finfo(float).eps * max(map(np.linalg.cond, covariances)))


JOINT = {name: options for name, options in EVERY.items() if options["covariance"] != "diagonal"}


@over(EVERY)
@few
@given(seed=seeds)
def test_scores_are_those_of_the_book(options, seed):
    X, y = clouds(seed)
    w = weights(seed, len(y))
    fitted = model(options).fit(X, LABELS[y], w)
    shape, how = options["covariance"], {k: v for k, v in options.items() if k in ("alpha", "shrinkage")}
    book = oracle.log_densities(X, y, w, 3, X[:20], shape, options.get("estimate", "ml"), **how)
    prior = np.bincount(y, w) / w.sum()
    ours = fitted.predict_joint_log_proba(X[:20]) - np.log(prior)
    apart = (ours - ours[:, :1]) - (book - book[:, :1])  # linear scores leave out what is common to all classes
    assert_allclose(apart, 0.0, atol=1e-8 * (1.0 + np.abs(book).max()))
    if shape == "per_class" or options.get("estimate") == "bayes":
        assert_allclose(ours, book, rtol=rounding(X, y, w), atol=rounding(X, y, w))
    assert_allclose(fitted.predict_proba(X[:20]), oracle.posteriors(book, prior), rtol=1e-7, atol=1e-9)
    assert_allclose(fitted.predict_proba(X).sum(axis=1), 1.0, rtol=1e-12)
    assert_array_equal(fitted.predict(X), fitted.classes_[fitted.predict_proba(X).argmax(axis=1)])


@over({name: options for name, options in JOINT.items() if options["covariance"] == "per_class"})
@few
@given(seed=seeds)
def test_rows_do_not_change_each_other(options, seed):
    """A sum has one order, on any number of threads and beside any other rows, which one may be beyond all measure."""
    X, y = clouds(seed)
    fitted = model(options).fit(X, LABELS[y], weights(seed, len(y)))
    asked = np.vstack([X] * 5 + [np.full_like(X[:1], 1e140)])
    for threads in (1, 2, 5):
        with using(threads):
            together = fitted.predict_joint_log_proba(asked)
        assert_array_equal(fitted.predict_joint_log_proba(X[:7]), together[:7])
        assert_array_equal(fitted.predict_joint_log_proba(asked[-1:]), together[-1:])


@over(JOINT)
@few
@given(seed=seeds)
def test_log_densities_are_those_of_the_book(options, seed):
    X, y = clouds(seed)
    w = weights(seed, len(y))
    fitted = model(options).fit(X, y, w)
    shape, how = options["covariance"], {k: v for k, v in options.items() if k in ("alpha", "shrinkage")}
    book = oracle.log_densities(X, y, w, 3, X[:20], shape, options.get("estimate", "ml"), **how)
    family = JointGaussian(shape == "shared", **how)
    found = family.parameters(fitted.counts_, options.get("estimate", "ml"))
    assert_allclose(family.log_density(X[:20], found), book, rtol=rounding(X, y, w), atol=rounding(X, y, w))


def test_directions_without_variance_have_no_density():
    X, y = clouds(1, d=2)
    family, densities = JointGaussian(), []
    for rows in (X, np.column_stack([X, np.full(len(X), 3.0)])):
        densities.append(family.log_density(rows, family.parameters(family.count(rows, y, None, 3), "ml")))
    assert_allclose(densities[1], densities[0], rtol=1e-12)
    alike = family.count(np.ones((4, 2)), np.array([0, 0, 1, 1]), None, 2)
    assert_array_equal(family.log_density(np.ones((4, 2)), family.parameters(alike, "bayes")), 0.0)


@few
@given(seed=seeds)
def test_two_classes_of_one_shape_have_the_linear_log_odds_of_the_book(seed):
    X, y = clouds(seed, C=2)
    fitted = GaussianDiscriminant().fit(X, y)
    (mu0, mu1), S, phi = fitted.means_, np.linalg.inv(fitted.covariance_), y.mean()
    theta = S @ (mu1 - mu0)
    theta0 = 0.5 * (mu0 @ S @ mu0 - mu1 @ S @ mu1) + np.log(phi / (1 - phi))
    p = fitted.predict_proba(X)[:, 1]
    assert_allclose(p, 1 / (1 + np.exp(-(X @ theta + theta0))), rtol=1e-8, atol=1e-12)
    W, bias = fitted.scorer_.W, fitted.scorer_.bias
    assert_allclose(W[:, 1] - W[:, 0], theta, rtol=1e-9)
    assert_allclose(bias[1] - bias[0], theta0, rtol=1e-8, atol=1e-9)
    assert_allclose(S @ fitted.covariance_, np.eye(4), atol=1e-8)


@over(EVERY)
@few
@given(seed=seeds)
def test_what_was_learnt_can_be_looked_at(options, seed):
    X, y = clouds(seed)
    w, C, shape = weights(seed, len(y)), 3, options["covariance"]
    fitted = model(options).fit(X, y, w)
    assert_array_equal(fitted.class_count_, np.bincount(y, w))
    assert fitted.rank_ == 4
    if options.get("estimate", "ml") == "ml":
        mean, S = oracle.plug_in(X, y, w, C, shape, options.get("shrinkage"))
    else:
        known = oracle.posterior(X, y, w, C, shape, options["alpha"])
        mean, p = np.array([m for m, *_ in known]), 1 if shape == "diagonal" else 4
        modes = p + 1 + (1 if shape == "per_class" else C) if options["estimate"] == "map" else -p - 1
        S = [psi / (nu + modes) for *_, psi, nu in known]
    assert_allclose(fitted.means_, mean, rtol=1e-9)
    S = np.array(S) if shape == "per_class" else S[0]
    assert_allclose(fitted.covariance_, S, rtol=1e-9, atol=1e-12 * np.abs(S).max())
    rule = oracle.RULES.get(options.get("shrinkage"), lambda *_: options.get("shrinkage", 0.0))
    Z = oracle.deviations(X, y, w, C)
    rho = [rule(Z[rows], w[rows], shape) for rows, _ in oracle.groups(y, C, shape)]
    assert_allclose(fitted.shrinkage_, rho if shape == "per_class" else rho[0], rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("covariance", ["shared", "per_class", "diagonal"])
@pytest.mark.parametrize("estimate", ["map", "bayes"])
def test_with_many_examples_the_prior_does_not_matter(covariance, estimate):
    X, y = clouds(29, apart=0.5)
    plain, prior = GaussianDiscriminant(covariance), GaussianDiscriminant(covariance, estimate=estimate)
    apart = []
    for times in (1e1, 1e3, 1e5, 1e7):
        w = np.full(len(y), times)
        ml, learnt = (each.fit(X, y, w).predict_log_proba(X[:50]) for each in (plain, prior))
        apart.append(np.abs(learnt - ml).max())
    assert apart[0] > apart[1] > apart[2] > apart[3]
    assert apart[3] < 1e-4


@over(EVERY)
def test_certificates_tell_what_was_minimised(options):
    X, y = clouds(31)
    fitted = model(options).fit(X, LABELS[y])
    proof = fitted.certificate_
    assert abs(proof.relative_gap) <= 1e-12
    assert proof.kkt_violation <= 1e-9
    assert (proof.n, proof.d, proof.iterations, proof.seed) == (90.0, 4, 0, None)
    assert proof.class_counts == {"ant": 30.0, "bee": 30.0, "cat": 30.0}
    stored = proof.to_json()
    assert json.loads(json.dumps(stored)) == stored
    assert proof.digest != fitted.partial_fit(X[:1], LABELS[y[:1]]).certificate_.digest
    assert "\n" not in str(proof)
    if "shrinkage" not in options and options.get("estimate", "ml") == "ml":
        book = oracle.log_densities(X, y, np.ones(90), 3, X, options["covariance"], "ml")
        assert proof.primal == pytest.approx(-book[np.arange(90), y].sum() - 90 * np.log(1 / 3), rel=1e-10)


@pytest.mark.parametrize("covariance", ["shared", "per_class", "diagonal"])
def test_the_evidence_of_the_data_is_the_product_of_predictions(covariance):
    X, y = clouds(37, N=30)
    fitted = GaussianDiscriminant(covariance, estimate="bayes", alpha=1.5, class_prior="uniform").fit(X, y)
    told = -sum(_predicted(X, y, i, covariance, 1.5) for i in range(len(y))) + 30 * np.log(3)
    assert fitted.certificate_.primal == pytest.approx(told, rel=1e-9)


def _predicted(X, y, i, shape, alpha):
    """log p(x_i | y_i, what came before) under the prior that the whole data set."""
    m0, v, d, own = X.mean(axis=0), X.var(axis=0), X.shape[1], 1 if shape == "diagonal" else X.shape[1]
    before = np.arange(len(y)) < i
    psi, nu, (m, kappa) = alpha * np.diag(v), own + 1 + alpha, (m0, alpha)
    for c in range(3):
        rows = before & (y == c)
        n, is_mine = rows.sum(), c == y[i]
        if n and (is_mine or shape != "per_class"):
            mean = X[rows].mean(axis=0)
            psi = psi + (X[rows] - mean).T @ (X[rows] - mean)
            psi = psi + alpha * n / (alpha + n) * np.outer(mean - m0, mean - m0)
            nu = nu + n
        if n and is_mine:
            m, kappa = (alpha * m0 + n * mean) / (alpha + n), alpha + n
    if shape == "diagonal":
        return sum(
            oracle.log_student(X[i, [j]], m[[j]], psi[[j]][:, [j]] * (kappa + 1) / (kappa * nu), nu) for j in range(d)
        )
    return oracle.log_student(X[i], m, psi * (kappa + 1) / (kappa * (nu - d + 1)), nu - d + 1)


@pytest.mark.parametrize(
    "labels", [np.array([-5, 0, 7]), np.array(["b", "c", "d"], dtype=object), np.array([False, True])], ids=str
)
def test_labels_of_any_type_come_back(labels):
    X, y = clouds(53, C=len(labels), apart=9.0)
    fitted = GaussianDiscriminant().fit(X, labels[y])
    assert fitted.predict(X).dtype == labels.dtype
    assert_array_equal(fitted.predict(X), labels[y])


def test_parameters_set_later_apply_to_what_was_learnt():
    X, y = clouds(59)
    fitted = GaussianDiscriminant().fit(X, y)
    fitted.set_params(estimate="map", alpha=3.0).partial_fit(X[:1], y[:1])
    whole = GaussianDiscriminant(estimate="map", alpha=3.0).fit(np.vstack([X, X[:1]]), np.append(y, y[0]))
    assert_allclose(fitted.predict_proba(X), whole.predict_proba(X), rtol=1e-9)


TOO_FEW = dict.fromkeys(
    ["check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"],
    "three examples of a class have no covariance in six dimensions",
)
CHECKED = {
    name: options for name, options in EVERY.items() if name in ("per_class-ml", "per_class-map", "per_class-bayes")
}
CHECKED |= {name: options for name, options in EVERY.items() if options["covariance"] != "per_class"}


@pytest.mark.deep
@over(CHECKED)
def test_scikit_learn_finds_nothing_to_complain_about(options):
    expected = TOO_FEW if options == {"covariance": "per_class"} else {}
    results = check_estimator(model(options), on_skip=None, on_fail="raise", expected_failed_checks=expected)
    failed = {result["check_name"]: str(result["exception"]) for result in results if result["status"] == "xfail"}
    assert set(failed) == set(expected)
    assert all("directions in which its covariance is needed" in said for said in failed.values())
    skipped = {result["check_name"] for result in results if result["status"] == "skipped"}
    assert skipped <= {"check_array_api_input"}  # asks for an environment variable set at start-up
    assert len(results) >= 63


@over(EVERY)
def test_a_copy_is_untrained_and_independent(options):
    X, y = clouds(61)
    fitted = model(options).fit(X, y)
    assert clone(fitted).get_params() == fitted.get_params()
    before = fitted.predict_joint_log_proba(X)
    (fitted + fitted).partial_fit(X[:5], y[:5])
    assert_array_equal(fitted.predict_joint_log_proba(X), before)
