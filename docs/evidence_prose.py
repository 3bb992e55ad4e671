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

Of class l against class k:

- *Affine scores*: discrete naive Bayes, logistic, the linear SVM, NBSVM, the perceptron, least squares, the
discriminant with one covariance. A feature has x_j (W_jl − W_jk), and in models of presence also what its absence says;
the prior is b_l − b_k.

- *Columns* of naive Bayes: log p(x_j | l) − log p(x_j | k). What is missing says nothing. The prior are the shares of
the classes.

- *Quadratic scores*, discriminants with a covariance a class: −½ δ_j (P δ)_j of l less that of k, which shares every
interaction of two features equally between them; what is left, the difference of the constants, is a term of its own,
the *volume* that the classes fill.

- *Kernel machines*: the mean of what j adds when it comes first and of what it adds when it comes last, and the rest in
proportion; exact for linear kernels, Shapley's value where features act in pairs. The prior is the score of the mean
item, or of nothing where items are sparse. `by="vector"` names the support vectors instead.

- *Networks*: gradients, integrated on the straight way from the mean item, or from nothing (Sundararajan, Taly & Yan,
2017). The prior is the score there.
"""

ONE = """
## One message, {models} models

All have learnt {learnt} of the SMS messages; this one they have not. Words and pairs of words count once.
"""

GLOBAL = """
## What a model goes by

`deciban.evidence_importance(model, X, y)` takes the mean of the |decibans| that a feature has over many examples,
names the class that it mostly speaks for, and puts beside it what the feature tells of the class all by itself, in
bits: its mutual information with the labels y. `deciban.evidence_importance(clf)` does so for the texts that were
learnt, from the counts that the model keeps; `deciban inspect` shows the bits of words and of the columns of a table.
Over {rows} messages held out, with {class_bits} bits in the class:
"""

COLUMNS = """
The same of naive Bayes over the columns of Adult, {rows} rows of its test part, with {adult_bits} bits in the class.
Decibans and bits are two questions: what the model makes of a feature, and what there is to it. {capital.feature} has
{capital.decibans:.0f} decibans on average and {capital.bits:.3f} bits: most people have none, and a normal density is
surest where it is most wrong. A column that says again what another has said has its bits, and naive Bayes counts it
twice.
"""

STABLE = """
## How stable it is

`deciban.explanation_stability(model, X, y, items)` learns from {resamples} resamples of the examples (drawn with
replacement, so that an example has a whole weight), explains the same items for the same two classes, and tells of
every term its mean, standard deviation and how often its sign is the same. Here of {items} messages held out: the mean
of the |log-odds|, their standard deviation over resamples, that of the posterior which naive Bayes derives from its
counts without resampling (`credible_interval`), the share of resamples with the same label, that of the {top}
strongest terms with the same sign, and how far the {top} strongest are the same ones, |A ∩ B| / |A ∪ B|.
"""

READING = """
- **Verdicts are steadier than their reasons.** Of {sizes[0]} messages learnt, naive Bayes gives the same label in
{stable[naive_bayes][0].same} of the resamples, and the {top} strongest terms are the same ones to
{stable[naive_bayes][0].overlap}; of {sizes[2]}, {stable[naive_bayes][2].same} and
{stable[naive_bayes][2].overlap}. With logistic regression it is {stable[logistic][0].overlap} and
{stable[logistic][2].overlap}, with NBSVM {stable[nbsvm][0].overlap} and {stable[nbsvm][2].overlap}.

- **What a term says for or against mostly stands**: of the {top} strongest terms of {sizes[2]} messages
{stable[naive_bayes][2].sign}, {stable[logistic][2].sign} and {stable[nbsvm][2].sign} of the signs are those of the
resamples. A term whose sign turns in more than one resample of ten is no reason to act upon.

- **The posterior knows it without resampling**, as far as words are independent and each was counted often: resamples
of {sizes[2]} messages have naive Bayes vary by {stable[naive_bayes][2].spread} decibans, its posterior doubts
{stable[naive_bayes][2].doubt}. Where most words were counted once, resamples leave them out and the posterior holds
many values for possible: the two answer different questions.
"""
