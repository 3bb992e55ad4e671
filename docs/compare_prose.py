"""The words of docs/compare.md that are no claims: those, with what must be so of the numbers, are in compare_claims.py
and compare_sets.py."""

INTRODUCTION = """
# Which model: generative or discriminative, and every family on every set

A *generative* model learns what each class looks like, p(x | y), and how frequent it is, p(y), and turns both round by
Bayes' theorem. A *discriminative* one learns p(y | x) alone. Often both can say the very same things, and differ only
in how they choose among them. Written by `python docs/compare.py`; the sentences are checked against the numbers, and
one that they do not bear out stops the page from being written.
"""

LINES = """\
## One line, two ways to draw it

Two normal classes with one covariance, and counts that are Poisson, word by word, both have log-odds that are linear:

    N(μ_c, Σ):      ln p(1 | x) / p(0 | x) = b + w·x      w = Σ⁻¹(μ₁ − μ₀)
    Poisson(λ_c):   ln p(1 | x) / p(0 | x) = b + w·x      w_j = ln λ_1j / λ_0j,   b = ln π₁/π₀ − Σ_j (λ_1j − λ_0j)

`GaussianDiscriminant` and `NaiveBayes("poisson")` estimate means, covariance and rates, and compute w from them.
`LogisticRegression` looks for the w under which the labels are most probable, and knows nothing of how x comes about.
Where one of these is true logistic regression's assumption is true as well, not the other way round: many other
classes have linear log-odds. So the generative model assumes more. Where that is so it needs fewer
examples; where it is not, it converges to the wrong line, however many there are (Efron, JASA 70, 1975; Ng &
Jordan, NIPS 2001: naive Bayes is near its own best after about log d examples, logistic regression near its better one
after about d)."""

CURVES = """
## Learning curves
"""

HOW = """
- *Simulated* problems draw all examples anew for each of {drawings[normal]} or {drawings[poisson]} drawings, a
quarter of them to judge by; of real sets it is the rows to learn from that are drawn, {drawings[cancer]} times of
breast cancer, {drawings[sms]} times of SMS, {drawings[mail]} and {drawings[news]} times of the other two. All models
of a drawing learn and judge the same rows, each size those of the smaller ones and more (`theory.learning_curve`).
The shade is two standard errors of the mean on each side; *clearly* means that the mean difference of the pairs is
more than two of its standard errors. Drawings of a real set overlap: there it speaks of this set alone.

- *Discriminant*, *naive Bayes* and *logistic* are as `deciban train` makes them: the covariance shrunk by Ledoit and
Wolf's amount, C = 1 for columns and C = 30, or 100 for mail, for words. *Not shrunk* is the covariance as estimated,
*hardly penalised* is C = 10,000. Naive Bayes is normal for measurements, Poisson for counts, multinomial for texts.
"""

EFFICIENCY = """
## What the assumption is worth

Where classes are normal, how many examples does logistic regression pay for not assuming it? Of very many examples the
share that the discriminant needs of them is Efron's efficiency, with Δ Mahalanobis' distance between the classes and Z
standard normal:
"""

FORMULA = """\
    (1 + Δ²/4) e^(−Δ²/8) E[1 / cosh(ΔZ/2)]"""

MEASURE = """
Below are, for {examples:,} examples of {features} features, the mean of what each rule errs above the least error that
there is, over {repeats} samples, both without shrinkage or penalty. No test set is needed: the error of a line between
normal classes is known exactly. The last two columns would agree for examples without end.
"""

YOURSELF = """
## On your own data

`deciban compare DATA` sets the families side by side, from Python:
"""

CODE = """\
```python
from deciban import GaussianDiscriminant, LogisticRegression, compare

found = compare({"discriminant": GaussianDiscriminant(), "logistic": LogisticRegression()}, X, y, sizes=[20, 80, 320])
print(found)  # errors with intervals, log loss, times, sizes, curves, and which differences are real
```"""
