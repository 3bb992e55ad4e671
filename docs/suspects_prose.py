"""The words around the tables of suspects.py; every number in them is filled in there."""

INTRODUCTION = """
# Which labels are wrong, measured

Labels are given by people, in a hurry, by rules, by the click of a user. `deciban suspects DATA`,
`model.find_label_errors(X, y)` and, for any classifier that gives probabilities,
`deciban.find_label_errors(model, X, y)` name those that are probably wrong, the most suspect first, so that a person
looks at fifty examples instead of five thousand. This page plants errors into labels that are taken for right, and
counts which of them are found. Written by `python docs/suspects.py`.

## What is done

- *Near-duplicates first.* Texts that share four fifths of their words and pairs of words, and rows of measurements that
are equal to six digits, ought to have one label. Where they have several, those without the label of most are suspects;
of as many, those whose label a model that learnt none of them holds for less likely.

- *Then what the features do not leave open.* Every example is judged by a model that learnt all of {folds} folds but
its own; near-duplicates share a fold, so that no copy vouches for a wrong label. Where classes overlap, many labels are
against the features and right: P(label | x) = (1 − γ) q + γ/(C − 1) · (1 − q) says so, with q the probability of the
label by a line of the model's log-odds, and γ the share of labels that are wrong (Copas, J. R. Stat. Soc. B 50, 1988).
Whose label is more probably wrong than right is a suspect, the most probable first. γ says how many labels are wrong,
and the probabilities of those listed how many of them are right.

- An error that the features leave open at the same rate everywhere cannot be told from wrong labels. Probabilities and
decibans are on the scale of `classify`.

## How to read the tables

- A share of the labels, drawn at random (seed {seed}), is changed to another class. *First k* is the share of planted
errors among the first k suspects, k being as many as were planted. *Listed* is how many suspects are named at all,
*right* how many of these were planted, *found* how many of the planted are among them, and *said* how many labels the
search says are wrong. The sets have errors of their own, and what is found of those counts as a mistake here.

- *p(label)* ranks by the probability of the given label alone. *cleanlab* is {cleanlab}, with its defaults; all three
are given the same out-of-fold probabilities, of the same folds.
"""

READING = """
## What one reads from it

- **How much is found depends on how well the model does, far more than on how its probabilities are ranked.** Of 5 %
planted among SMS the first k hold {sms[logistic][1].ours.at_k} with logistic regression and
{sms[naive-bayes][1].ours.at_k} with naive Bayes; in mail {mail[logistic][1].ours.at_k} and
{mail[naive-bayes][1].ours.at_k}; among the sentences of MR, of which models misjudge a fifth to begin with,
{mr[nbsvm][1].ours.at_k}.

- **The model's own ranking is that of p(label)**, among those that it misjudges; by the margin to the likeliest class,
planted errors of 20 Newsgroups came later. What Deciban adds are the near-duplicates, and where the list ends. In mail
with 5 % planted {mail[naive-bayes][1].gave} of the {mail[naive-bayes][1].copied} suspects for their near-duplicates'
sake were planted, among SMS {sms[logistic][1].gave} of {sms[logistic][1].copied}, in Spambase
{spambase[logistic][1].gave} of {spambase[logistic][1].copied}.

- **The number of errors is near where models are good**: {sms[logistic][1].ours.said} of
{sms[logistic][1].ours.planted} among SMS, {mail[logistic][1].ours.said} of {mail[logistic][1].ours.planted} in mail,
whose own errors are among them. Where classes overlap, single labels cannot be told: on MR
{mr[nbsvm][1].ours.said} are said of {mr[nbsvm][1].ours.planted} planted.

- In all, of {rows} rows, the first k hold more planted errors with Deciban than by p(label) in {better_naive}, as many
in {same_naive}, and fewer in {worse_naive}; against cleanlab these are {better_clean}, {same_clean} and {worse_clean}.

- **Rows of a few categories are often equal by chance.** Where more than 5 % of the distinct rows occur again, as in
a9a or Adult without its column of weights, near-duplicates are no sign, and only the model speaks.
"""
