"""Laws of Gaussian discriminant analysis that need integrals or draws: densities, predictives, credible intervals."""

import numpy as np
import pytest
from clouds import EVERY, clouds, model, over
from numpy.testing import assert_allclose
from scipy import stats

from deciban.distributions.diagonal_gaussian import DiagonalGaussian
from deciban.distributions.joint_gaussian import JointGaussian
from deciban.models.discriminant import GaussianDiscriminant

KEEPS_DENSITY = {name: options for name, options in EVERY.items() if options["covariance"] == "per_class"}
KEEPS_DENSITY |= {name: options for name, options in EVERY.items() if options.get("estimate") == "bayes"}


def everywhere(centre, scale, points=4001, widest=40.0):
    """Points of the real line and their weights: x = centre + scale·sinh t, so that heavy tails are reached too."""
    t = np.linspace(-widest, widest, points)
    return centre + scale * np.sinh(t), scale * np.cosh(t) * (t[1] - t[0])


@over(KEEPS_DENSITY)
def test_the_density_of_one_feature_integrates_to_one(options):
    X, y = clouds(1, N=12, d=1)
    fitted = model(options, class_prior="uniform").fit(X, y)
    x, dx = everywhere(X.mean(), X.std())
    density = np.exp(fitted.predict_joint_log_proba(x[:, None]) + np.log(3))
    assert_allclose(dx @ density, 1.0, rtol=1e-9)


@over(KEEPS_DENSITY)
def test_the_density_of_two_features_integrates_to_one(options):
    X, y = clouds(2, N=30, d=2)
    fitted = model(options, class_prior="uniform").fit(X, y)
    # The tails of Student's t beyond sinh 8 ≈ 1490 deviations hold less than 10⁻⁶.
    sides = [everywhere(m, s, 400, 8.0) for m, s in zip(X.mean(axis=0), X.std(axis=0), strict=True)]
    points = np.stack(np.meshgrid(sides[0][0], sides[1][0], indexing="ij"), axis=-1).reshape(-1, 2)
    area = np.multiply.outer(sides[0][1], sides[1][1]).ravel()
    assert_allclose(area @ np.exp(fitted.predict_joint_log_proba(points) + np.log(3)), 1.0, rtol=1e-5)


@pytest.mark.parametrize("covariance", ["shared", "per_class", "diagonal"])
def test_the_predictive_integrates_over_the_posterior(covariance):
    """p(x | data) = ∫∫ N(x; μ, σ²) p(μ, σ² | data) dμ dσ² in one dimension, by quadrature."""
    X, y = clouds(3, N=10, d=1, C=2)
    x, alpha = X[:, 0], 1.5
    fitted = GaussianDiscriminant(covariance, estimate="bayes", alpha=alpha, class_prior="uniform").fit(X, y)
    m0, v0, queries = x.mean(), x.var(), np.array([x.min(), x.mean(), x.max() + x.std()])
    n, means = np.array([5.0, 5.0]), np.array([x[y == c].mean() for c in (0, 1)])
    scatter = (
        np.array([((x[y == c] - means[c]) ** 2).sum() for c in (0, 1)]) + alpha * n / (alpha + n) * (means - m0) ** 2
    )
    for c in (0, 1):
        own = [c] if covariance == "per_class" else [0, 1]
        shape, rate = (2 + alpha + n[own].sum()) / 2, (alpha * v0 + scatter[own].sum()) / 2
        kappa, m = alpha + n[c], (alpha * m0 + n[c] * means[c]) / (alpha + n[c])
        log_var = np.linspace(np.log(rate) - 12.0, np.log(rate) + 12.0, 1200)
        var = np.exp(log_var)
        p_var = stats.invgamma(shape, scale=rate).pdf(var) * var * (log_var[1] - log_var[0])
        z = np.linspace(-9.0, 9.0, 300)
        mu = m + np.multiply.outer(np.sqrt(var / kappa), z)
        p_mu = stats.norm.pdf(z) * (z[1] - z[0])
        predicted = [p_var @ stats.norm.pdf(q, mu, np.sqrt(var)[:, None]) @ p_mu for q in queries]
        ours = np.exp(fitted.predict_joint_log_proba(queries[:, None])[:, c] + np.log(2))
        assert_allclose(ours, predicted, rtol=1e-6)


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("estimate", ["ml", "bayes"])
def test_the_doubt_is_the_variance_over_the_posterior(shared, estimate):
    X, y = clouds(4, N=60, d=3, C=2)
    family = JointGaussian(shared)
    seen = family.count(X, y, None, 2)
    known = family.parameters(seen, estimate)
    label, against = np.zeros(6, int), np.ones(6, int)
    told = known.doubt(X[:6], label, against)
    random, draws, log_odds = np.random.default_rng(0), 20_000, 0.0
    precisions = [
        stats.wishart(known.nu[g], known.factors[g] @ known.factors[g].T / known.weight[g]).rvs(draws, random)
        for g in range(len(known.nu))
    ]
    for c, sign in ((0, 1.0), (1, -1.0)):
        P = precisions[c % len(precisions)]
        noise = np.linalg.solve(np.linalg.cholesky(P).transpose(0, 2, 1), random.normal(size=(draws, 3, 1)))[..., 0]
        away = X[:6, None, :] - (known.mean[c] + noise / np.sqrt(known.kappa[c]))
        log_odds = log_odds + sign * 0.5 * (np.linalg.slogdet(P)[1] - np.einsum("qni,nij,qnj->qn", away, P, away))
    assert_allclose(told, log_odds.var(axis=1), rtol=0.06)


def test_the_doubt_of_a_diagonal_is_the_variance_over_the_posterior():
    X, y = clouds(5, N=40, d=3, C=2)
    known = DiagonalGaussian().parameters(DiagonalGaussian().count(X, y, None, 2), "bayes")
    told = known.doubt(X[:6], np.zeros(6, int), np.ones(6, int))
    random, draws, log_odds = np.random.default_rng(1), 50_000, 0.0
    P = random.gamma(known.nu / 2, 2 / (known.weight * known.variance), size=(draws, 3))
    for c, sign in ((0, 1.0), (1, -1.0)):
        mu = known.mean[c] + random.normal(size=P.shape) / np.sqrt(known.kappa[c] * P)
        log_odds = log_odds - sign * 0.5 * (P * (X[:6, None, :] - mu) ** 2).sum(axis=2)
    assert_allclose(told, log_odds.var(axis=1), rtol=0.04)


@pytest.mark.deep
@pytest.mark.parametrize("covariance", ["shared", "per_class", "diagonal"])
@pytest.mark.parametrize("estimate", ["ml", "map", "bayes"])
def test_credible_intervals_cover_what_is_true(covariance, estimate):
    """In 95 % of worlds drawn at random, with 100 examples a class."""
    random, hits, d, worlds = np.random.default_rng(6), [], 3, 120
    for _ in range(worlds):
        shapes = [np.cov(random.normal(size=(d, d + 10))) for _ in range(2)]
        if covariance != "per_class":
            shapes = shapes[:1] * 2
        if covariance == "diagonal":
            shapes = [np.diag(np.diag(S)) for S in shapes]
        truth = [stats.multivariate_normal(random.normal(size=d), S) for S in shapes]
        X, y = np.vstack([p.rvs(100, random) for p in truth]), np.repeat([0, 1], 100)
        new = np.vstack([p.rvs(5, random) for p in truth])
        fitted = GaussianDiscriminant(covariance, estimate=estimate, class_prior="uniform").fit(X, y)
        sign = np.where(fitted.predict(new) == 0, 1.0, -1.0)
        log_odds = sign * (truth[0].logpdf(new) - truth[1].logpdf(new))
        low, high = fitted.credible_interval(new).T
        hits.append(((low <= log_odds) & (log_odds <= high)).mean())
    # The rows of one world are right or wrong together, so that its share counts once.
    assert np.mean(hits) == pytest.approx(0.95, abs=0.01 + 3.0 * np.std(hits) / np.sqrt(worlds))


@over(EVERY)
def test_intervals_surround_the_log_odds_and_narrow_with_the_data(options):
    X, y = clouds(7)
    fitted = model(options).fit(X, y)
    score = np.sort(fitted.predict_joint_log_proba(X), axis=1)
    narrow, wide = (fitted.credible_interval(X, level) for level in (0.5, 0.99))
    assert_allclose(wide.mean(axis=1), score[:, -1] - score[:, -2], rtol=1e-9, atol=1e-12)
    assert (wide[:, 0] < narrow[:, 0]).all()
    assert (narrow[:, 1] < wide[:, 1]).all()
    # 10,000 times the data, about a hundredth of the doubt; how much to shrink changes with the data too.
    more = model(options).fit(X, y, np.full(len(y), 1e4))
    width = np.ptp(more.credible_interval(X, 0.99), axis=1) / np.ptp(wide, axis=1)
    assert width.max() < (0.2 if "shrinkage" in options else 0.05)
