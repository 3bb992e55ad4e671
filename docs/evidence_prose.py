"""The words around the tables of evidence.py; every number in them is filled in there."""

INTRODUCTION = """
# Evidence

Every classifier of Deciban says why: `model.explain(items)` gives, for each item, the winner and its runner-up, the
prior and the terms. They are decibans, 10 log₁₀ of an odds ratio, and add up: **prior + Σ terms = log-odds of the
two**, to nine digits, whichever model it is. Texts and rows are asked in the same way. `why.for_label(5)` and
`why.against_label(5)` are the strongest terms of either side, each with its `feature`, `decibans` and value `x` (those
of texts also with their `places` in the text); `explain(items, pair=("spam", "news"))` weighs any two classes instead
of the first two. Written by `python docs/evidence.py`.
"""

FAMILIES = """
## What a term is

| score | models | evidence of feature j for class l against k | prior |
| --- | --- | --- | --- |
| affine | discrete naive Bayes, logistic, SVM, NBSVM, perceptron, least squares, discriminant | x_j (W_jl − W_jk), and of presence models what its absence says | b_l − b_k |
| columns | naive Bayes of typed columns | log p(x_j, l) − log p(x_j, k), what is missing says nothing | log class shares |
| quadratic | discriminant of a covariance a class | −½ δ_j (P δ)_j of l less that of k: interactions are shared equally; and the *volume* | log class shares |
| kernel | SVM, kernel-svm | the mean of what j adds when it comes first and when it comes last, the rest in proportion | the score of the mean item, or of nothing |
| network | MLP, mlp | gradients, integrated on the way from the mean item, or from nothing | the score there |
"""

ONE = """
## One message, {models} models

All have learnt {learnt} of the SMS messages; this one they have not. Words and pairs of words count once.
"""

GLOBAL = """
## What a model goes by

`deciban.importance(model, X, y)` takes the mean of the |decibans| that a feature has over many examples, names the
class that it mostly speaks for, and puts beside it what the feature tells of the class all by itself, in bits: its
mutual information with the labels y. `deciban.importance(clf)` does so for the texts that were learnt, from the counts
that the model keeps; `deciban inspect` shows the bits of words and of the columns of a table. Over {rows} messages held
out, with {class_bits} bits in the class:
"""

COLUMNS = """
The same of naive Bayes over the columns of Adult, {rows} rows of its test part, with {adult_bits} bits in the class.
Decibans and bits are two questions: what the model makes of a feature, and what the data do. A column that says again
what another has said has its bits, and naive Bayes counts it twice.
"""

STABLE = """
## How stable it is

`deciban.stability(model, X, y, items)` learns from {resamples} resamples of the examples (drawn with replacement, so
that an example has a whole weight), explains the same items for the same two classes, and tells of every term its mean,
standard deviation and how often its sign is the same. Here of {items} messages held out: the mean of the |log-odds|,
their standard deviation over resamples, that of the posterior which naive Bayes derives from its counts without
resampling (`credible_interval`), the share of resamples with the same label, that of the {top} strongest terms with the
same sign, and how far the {top} strongest are the same ones, |A ∩ B| / |A ∪ B|.
"""

READING = """
"""
