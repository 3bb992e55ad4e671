"""The words around the tables of generative.md; every number in them is filled in by generative.py."""

INTRODUCTION = """
# Generative models, measured

What `NaiveBayes` and `GaussianDiscriminant` make of real data, beside the estimator of scikit-learn {scikit} that is
nearest to each. Written by `python docs/generative.py` on {cores} cores of {processor}.

- Every model is as it comes. Nothing is tuned, on either side, so the tables show what each assumption gives or costs,
not which classifier is best for such data: none of these is fitted to the boundary itself.

- *Held out* is what the data set holds out, else {held_out} at random, classes in proportion (seed {seed}). The *error*
has its exact 95 % interval (Clopper & Pearson), which knows the luck of the rows held out, not of those learnt from.

- *Log loss* is the mean of −log p(label | x) in nats. It is taken from scores and nothing is clipped, so who is sure
and wrong pays in full. Guessing costs log C: {guess[2]} with two classes, {guess[10]} with ten, {guess[20]} with
twenty.

- *fit ×* and *predict ×* are scikit-learn's time ÷ ours, side by side in one process: the median of {runs} runs, or
the only one where both together take a second. Above 1 ours is quicker. Coding labels is in the times, counting
words is not.

- No entry: scikit-learn has no such model. *refuses*: it raises `LinAlgError`, since a class does not vary in every
direction. *scaled*: both sides get columns divided by their standard deviation in training.
"""

READING = """
## What one reads from it

- **The same model, the same errors.** In {equal} of {rows} comparisons the number of errors is the same. The others
differ in the model: Student's t, the amount of shrinkage, what becomes of missing labels. Fitting takes scikit-learn
longer in {quicker[0]} of them ({middle[0]} × in the middle), predicting in {quicker[1]} ({middle[1]} ×).

- **Naive Bayes is overconfident.** It takes every word or grey value for independent evidence. On 20 Newsgroups
multinomial naive Bayes errs in {news[naive: multinomial].ours.error}, but its log loss is
{news[naive: multinomial].ours.loss}: worse than guessing. Complement naive Bayes errs in
{news[naive: complement].ours.error} at a loss of {news[naive: complement].ours.loss}; Bernoulli and Poisson, for
which every absent word speaks too, do worst on these long texts ({news[naive: bernoulli].ours.error},
{news[naive: poisson].ours.error}). Korean reviews are short, and there the loss is
{korean[naive: multinomial].ours.loss} at {korean[naive: multinomial].ours.error}. Trust the order of the verdicts.

- **Student's t** (*gaussian, bayes*) knows that a variance was estimated. Where a class shows next to nothing of a
feature it is far less sure of what it has not seen than the normal density (*map*) or `GaussianNB`: a loss of
{digits[naive: gaussian, bayes].ours.loss} on digits against {digits[naive: gaussian, map].ours.loss} and
{digits[naive: gaussian, bayes].theirs.loss}, and {digits[naive: gaussian, bayes].ours.error} errors against
{digits[naive: gaussian, bayes].theirs.error}; on MNIST {mnist[naive: gaussian, bayes].ours.loss} against
{mnist[naive: gaussian, map].ours.loss} and {mnist[naive: gaussian, bayes].theirs.loss}. That is still overconfident:
features remain dependent. Elsewhere it changes little, and `GaussianNB` errs less on Spambase
({spambase[naive: gaussian, bayes].theirs.error} against {spambase[naive: gaussian, bayes].ours.error}) and on breast
cancer ({cancer[naive: gaussian, bayes].theirs.error} against {cancer[naive: gaussian, bayes].ours.error}, a loss of
{cancer[naive: gaussian, bayes].theirs.loss} against {cancer[naive: gaussian, bayes].ours.loss}).

- **Mixed columns.** On Adult one model of labels and numbers errs in {adult[naive: auto].ours.error}, two of
scikit-learn's joined by hand in {adult[naive: auto].theirs.error}. Numbers with long tails are no normal numbers:
with a likelihood chosen column by column (capital gains and losses as present or absent, sampling weights left out)
the loss falls from {adult[naive: auto].ours.loss} to {adult[naive: by column].ours.loss}, though the error is
{adult[naive: by column].ours.error}; with every value a label it is {adult[naive: categorical].ours.loss} at
{adult[naive: categorical].ours.error}. A discriminant with one shared covariance, which sees that the columns depend
on each other, does better than any of these, on both sides: {adult[discriminant: shared].ours.error}, a loss of
{adult[discriminant: shared].ours.loss}.

- **Missing labels** are summed out here and a label of their own in scikit-learn's pipeline. On Mushroom that gives
{mushroom[naive: categorical].ours.error} against {mushroom[naive: categorical].theirs.error}, on Adult
{adult[naive: categorical].ours.error} against {adult[naive: categorical].theirs.error}: neither is always better.

- **Covariances.** On Letter naive Bayes errs in {letter[naive: gaussian, bayes].ours.error}, a shared covariance in
{letter[discriminant: shared].ours.error}, one for each class in {letter[discriminant: per class].ours.error}. That
takes examples: on Adult a covariance for each class is worse than a shared one, whatever the estimate.

- **Shrinkage** is towards the mean variance, in the units of the columns. Where all have one unit it helps: a
covariance for each class errs in {digits[discriminant: per class, shrunk].ours.error} on digits, scikit-learn's,
which brings the features of each class to variance 1 first, in
{digits[discriminant: per class, shrunk].theirs.error}. Where units differ it does harm, and scikit-learn is better
for the same reason: {cancer[discriminant: shared, shrunk].ours.error} against
{cancer[discriminant: shared, shrunk].theirs.error} on breast cancer,
{spambase[discriminant: shared, shrunk].ours.error} against {spambase[discriminant: shared, shrunk].theirs.error} on
Spambase, {adult[discriminant: shared, shrunk].ours.error} against {adult[discriminant: shared, shrunk].theirs.error}
on Adult. Scale such columns first: {cancer[discriminant: shared, shrunk, scaled].ours.error},
{spambase[discriminant: shared, shrunk, scaled].ours.error} and
{adult[discriminant: shared, shrunk, scaled].ours.error}. On MNIST, with one unit, scikit-learn's is a little better
({mnist[discriminant: shared, shrunk].theirs.error} against {mnist[discriminant: shared, shrunk].ours.error}).

- **The posterior predictive** of a shared covariance (*shared, bayes*) errs about as the estimate itself, at a loss of
{cancer[discriminant: shared, bayes].ours.loss} against {cancer[discriminant: shared].ours.loss} on breast cancer and
{digits[discriminant: shared, bayes].ours.loss} against {digits[discriminant: shared].ours.loss} on digits, in any
units. For one covariance a class it helps too ({cancer[discriminant: per class, bayes].ours.loss} against
{cancer[discriminant: per class].ours.loss} on breast cancer), but its prior, worth one example, is no match for
hundreds of features: {mnist[discriminant: per class, bayes].ours.error} on MNIST, where shrinkage has
{mnist[discriminant: per class, shrunk].ours.error}.
"""
