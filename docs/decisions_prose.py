"""The words around the tables of decisions.py; every number in them is filled in there."""

INTRODUCTION = """
# From probabilities to decisions, measured

A probability is not yet a decision: to lose a good message is worse than to see a bad one. `deciban threshold` and
`deciban.evaluation` turn what is known of mistakes into a threshold: what they cost, how many there may be, or, for any
number of classes, a set of labels that leaves the true one out no more often than asked for. This page says what each
of them promises, and counts whether it holds. Written by `python docs/decisions.py`.
"""

COMMANDS = """
    deciban threshold filter.deciban spam=Junk/ ham=Inbox.mbox                           # several rates at once
    deciban threshold filter.deciban spam=Junk/ ham=Inbox.mbox --false-positives 0.1%    # one of them, 95 % sure
    deciban threshold filter.deciban spam=Junk/ ham=Inbox.mbox --cost ham:spam=100 --unsure 0.5
    deciban classify filter.deciban mail.eml --threshold 31.4dB                          # as they tell

```python
from deciban.evaluation import Conformal, Costs, Judgements, rate_threshold

said = Judgements(("ham", "spam"), y, model.predict_log_proba(texts))  # of examples that the model has not learnt
rate_threshold(said, 0.001).decibans  # the false-positive rate above it is at most 0.1 %, with 95 % confidence
Costs.of(("ham", "spam"), {("ham", "spam"): 100.0}, unsure=0.5).decide(said.log_p)  # −1 is unsure
Conformal.of(said).sets(model.predict_log_proba(more), {"ham": 0.001, "spam": 0.05})  # labels that may be true
```
"""

SIZES = """
## How many messages it takes

If none of n good messages is above a threshold, the rate of those that will be is at most r, except with a probability
of (1 − r)^n: that is below 5 % from n = log 0.05 / log(1 − r) on. If some may be above, it takes more, and the
threshold is lower. On average over all sets of n messages, which is what conformal prediction promises, the rate is at
most r from n = 1/r − 1 on; but the set at hand may be an unlucky one.
"""

RATES = """
## Is the rate held?

The threshold is chosen on the messages that vouch for it. That is allowed, because it is an order statistic of them:
how many may be above it depends on their number alone, and the binomial tail at that number bounds the chance that the
true rate is larger, whatever the distribution of the scores (Wilks 1941). To see it, 1,000 ham are drawn, with
replacement, from those that a model has judged and not learnt, {draws} times: then the true rate of every threshold is
known. *Above what was asked* is the share of the draws in which it is larger than was asked for; *the share on the
examples* is the threshold above which that share of the ham drawn is, which promises nothing. {about}.
"""

READING_RATES = """
- **The share on the examples is broken by {plain} of the draws**, the promise by {worst} of them at most. What that
costs is spam: of SMS with logistic regression at 1 % asked, {rates[SMS, logistic][1 plain][recall]} is found with the
first, {rates[SMS, logistic][1 average][recall]} on average, {rates[SMS, logistic][1 sure][recall]} with confidence.

- **Naive Bayes is too sure of itself, and that does not matter here**: thresholds look at the order of the messages,
not at their probabilities.
"""

COSTS = """
## What costs least

Where calling ham spam costs c and calling spam ham 1, the cheapest answer is spam above the odds c, that is above
10·log10 c decibans, if probabilities can be believed. Or one asks examples which threshold would have been cheapest.
Both are judged on the half of the messages that had no part in it, {splits} times; the table shows the mean cost of a
message. In the last column an answer may also be *unsure*, for 0.3.
"""

READING_COSTS = """
- **Costs are as good as the probabilities**, and calibrated ones are good enough: in SpamAssassin, where ham called
spam costs 100, a message costs {costs[SpamAssassin, naive-bayes][100][0]} by the most probable class,
{costs[SpamAssassin, naive-bayes][100][1]} by the costs and {costs[SpamAssassin, naive-bayes][100][2]} by the threshold
that was cheapest before; with logistic regression {costs[SpamAssassin, logistic][100][0]},
{costs[SpamAssassin, logistic][100][1]} and {costs[SpamAssassin, logistic][100][2]}. Of short messages it is
{costs[SMS, logistic][100][1]} by the costs, {costs[SMS, logistic][100][0]} without them.

- **The cheapest threshold on examples needs no such belief, but examples**: where a mistake costs 100, the few dearest
ones decide where it lies. Calibrated probabilities need fewer.

- **Who may be unsure pays less** than by the costs alone in {cheaper} of the {rows} rows.
"""

CONFORMAL = """
## Sets of labels

`Conformal` gives for each message the labels that cannot be excluded: of each class at most α of the examples are
without their own label, whatever the model is worth (Vovk, Gammerman & Shafer 2005). A good model has sets of one
label; a set of two says that it could be either, an empty one that it is like neither. Calibrated on one half and
counted on the other, {splits} times: of SMS with logistic regression at α = 5 % {sets[SMS, logistic][5][one]} of the
sets have one label; of 20 Newsgroups a set has {sets[20 Newsgroups, naive-bayes][5][size]} labels.
"""
