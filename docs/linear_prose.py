"""The words around the tables of linear.md; every number in them is filled in by linear.py."""

INTRODUCTION = """
# Linear models, measured

A linear model draws one flat boundary between classes: it adds up what every feature weighs and looks on which side of
zero the sum lies. They differ in what they call a good boundary. The *perceptron* moves it whenever it is wrong;
*least squares* bring the sum as near as possible to −1 and +1; *logistic regression* makes it the log-odds; the
*support vector machine* wants a wide street without examples on it; *NBSVM* starts from the weights of naive Bayes.
This page says what each makes of real data, beside the estimator of scikit-learn {scikit} that is nearest to it.
Written by `python docs/linear.py` on {cores} cores of {processor}.

## How to read the tables

- *Held out* is what the data set holds out, else {held_out} at random, classes in proportion (seed {seed}). The *error*
has its exact 95 % interval (Clopper & Pearson), which knows the luck of the rows held out, not of those learnt from.

- *Log loss* is the mean of −log p(label | x) in nats: whether the probabilities are worth anything. Guessing costs
{guess[2]} with two classes, {guess[10]} with ten, {guess[20]} with twenty. No entry: the model gives no log
probabilities. Ours all do; those of the perceptron, of least squares and of the SVM are calibrated on three parts
held out.

- *fit ×* and *predict ×* are scikit-learn's time ÷ ours, side by side in one process: the median of {runs} runs, or
the only one where both together take a second. Above 1 ours is quicker. In the tables of numbers, where scikit-learn
gives no probabilities, ours is timed without calibration, too. In those of texts both start from raw text, and ours
is timed as it comes, with calibration, which is three fits more for the SVM and the perceptron.

- **Both sides minimise the same**, with the same price of errors, C = 1 (least squares: α = 1, which is
`RidgeClassifier(0.5)`). Two differences remain: `LinearSVC` and LIBLINEAR, which fits scikit-learn's l1, penalise the
intercept; ours never do. Perceptrons make {passes} passes over numbers, and only ours is averaged. † means that
scikit-learn stopped at {iterations} iterations before it was done.

- Adult, Spambase and breast cancer have columns in different units, so both sides get them centred and in standard
deviations of the training rows. Of MNIST the first {images} images are learnt, without the hinge, of the Korean
reviews the first {reviews}: that keeps the page quick to write.

- Texts: ours is `TextClassifier(model)` with its defaults, theirs TF-IDF of words and pairs with logarithms of the
counts, then the classifier with its defaults. That is no longer one objective but two recipes. NBSVM has no
counterpart in scikit-learn.

## Gradient descent

The solvers that `auto` chooses prove how near they are. `deciban.solvers.Descent` is the textbook's way: all examples
a step (`batch=None`, by backtracking), mini-batches (`batch=32`), or one example at a time (`batch=1`, stochastic),
for `LogisticRegression`, `LinearSVM` and `LinearRegression`: `LogisticRegression(solver=Descent(batch=32))`. It ends
after `max_iter` passes, at a small gradient (`Descent(gradient=1e-4)`), at a small error (`Descent(error=0.3)`), or at
the gap that `tol` asks for; steps are constant, decay or go by 1/√t (`rule`), and weights may be averaged
(`average_from`).

## The hat matrix

Least squares project the labels on the columns of X: ŷ = H y, and the residuals are (I − H) y. Nobody needs H (N, N) to
fit; `deciban.HatMatrix.of(X)` keeps Q of a QR factorisation, H = QQᵀ, in N rows of d + 1 numbers.
`times(y)` is H y, `residuals(y)` is (I − H) y, `diagonal()` the leverages h_ii, `trace()` the rank; `matrix()` and
`complement()` form H and I − H for data that are small. `alpha` is that of the ridge, weights those of `fit`.
"""

READING = """
## What one reads from it

- **The same objective, the same errors.** In {alike} comparisons on numbers, the perceptrons left out, ours errs
less often in {less}, as often in {same} and more often in {more}; the two are {apart} percentage points apart at the
most. Of scikit-learn's fits {stopped} stopped before they were done, of ours {ours_stopped}.

- **The loss matters less than one would think, but for the squared one.** On a9a logistic regression errs in
{a9a[logistic, l2].ours.error}, the SVM in {a9a[SVM, hinge].ours.error} and {a9a[SVM, squared hinge].ours.error}, with
hinge and squared hinge, NBSVM in {a9a[NBSVM].ours.error}. Least squares, which also punish an example for being far on
the right side, err in {a9a[least squares].ours.error} there, and where classes are easier to tell apart they fall
behind: {spambase[least squares].ours.error} against {spambase[logistic, l2].ours.error} for logistic regression on
Spambase, {digits[least squares].ours.error} against {digits[logistic, l2].ours.error} on digits,
{mnist[least squares].ours.error} against {mnist[logistic, l2].ours.error} on MNIST.

- **Averaging makes the perceptron a good model.** It errs in {spambase[perceptron, averaged].ours.error} on Spambase,
{digits[perceptron, averaged].ours.error} on digits and {mnist[perceptron, averaged].ours.error} on MNIST; the plain
one of scikit-learn in {spambase[perceptron, averaged].theirs.error},
{digits[perceptron, averaged].theirs.error} and {mnist[perceptron, averaged].theirs.error}.
On breast cancer the plain one is ahead, {cancer[perceptron, averaged].theirs.error} against
{cancer[perceptron, averaged].ours.error}, where an example more or less is 0.6 %.

- **Margins become honest probabilities.** The calibrated SVM has a log loss of {a9a[SVM, hinge].ours.loss} on a9a
and {spambase[SVM, hinge].ours.loss} on Spambase; logistic regression, which minimises it,
{a9a[logistic, l2].ours.loss} and {spambase[logistic, l2].ours.loss}.

- **20 Newsgroups, by date.** The SVM with its defaults is right in {news[SVM].ours.accuracy} of the posts, TF-IDF with
`LinearSVC` in {news[SVM].theirs.accuracy}; NBSVM in {news[NBSVM].ours.accuracy}, logistic regression in
{news[logistic].ours.accuracy} (scikit-learn's: {news[logistic].theirs.accuracy}). The SVM takes every text to one
length while it learns, so that long posts do not outvote short ones, and a rare word weighs its idf to the power of
3/2. Both were chosen on parts held out of the training texts. The perceptron, to which texts come as long as they are,
errs in {news[perceptron, averaged].ours.error}, scikit-learn's, on rows of length 1, in
{news[perceptron, averaged].theirs.error}.

- **IMDB.** NBSVM over words, pairs and triples is right in {imdb[NBSVM].ours.accuracy}, the SVM in
{imdb[SVM].ours.accuracy}, TF-IDF with `LinearSVC` in {imdb[SVM].theirs.accuracy}. In the literature NBSVM has 91.22 %
with pairs (Wang & Manning 2012) and 91.82 % with triples (Mesnil et al. 2014). From raw text NBSVM takes
{took[imdb, NBSVM][0]} to learn and judge, `LinearSVC` {took[imdb, SVM][1]}.

- **Short texts.** On MR, single sentences in ten folds, NBSVM over words and pairs is right in
{mr[NBSVM, words and pairs].ours.accuracy} (79.4 % in Wang & Manning), with triples, its default, in
{mr[NBSVM].ours.accuracy}; the SVM in {mr[SVM].ours.accuracy}, scikit-learn's in {mr[SVM].theirs.accuracy}. On Korean
reviews it is {korean[NBSVM].ours.accuracy} and {korean[SVM].ours.accuracy}, scikit-learn's
{korean[SVM].theirs.accuracy}.

- **Time.** Neither side is the quicker one throughout. Fitting takes scikit-learn longer in {quicker[0]}
of {rows} comparisons, predicting in {quicker[1]}; in the middle the ratios are {middle[0]} and {middle[1]}. On
numbers, what compares worst is the fit of the {slowest}: ours goes on until the gap between primal and dual proves how
near the minimum is, and leaves the intercept free. On texts it is the perceptron on Korean reviews
({korean[perceptron, averaged].times[0]:.2g} ×): where nothing separates the classes it makes all of its 1,000 passes,
and three times more for the probabilities. On 20 Newsgroups from raw text the SVM takes {took[news, SVM][0]},
scikit-learn {took[news, SVM][1]}.
"""
