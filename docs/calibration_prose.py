"""The words around the tables of calibration.py; every number in them is filled in there."""

INTRODUCTION = """
# What probabilities are worth, measured

A probability of 90 % should come true nine times in ten. Naive Bayes says 99.99 % and is right nine times in ten, since
it counts what depends on each other as independent; a support vector machine says how far from the boundary something
lies, and nothing about chances. `deciban.CalibratedClassifier` puts a calibrator behind any classifier, of Deciban or
scikit-learn, for rows, data frames or texts. Written by `python docs/calibration.py`.

## What is done

- *Nobody judges what he learnt.* The examples are dealt into five folds, equal ones into one; each is scored by a model
that learnt the other four, and the calibrator learns from these scores. The model that judges later learns all of them.

- *Four families, the simplest first.* A *temperature* (Guo et al. 2017) is one number, and no decision changes.
*Platt*'s line (1999; Lin, Lin & Weng 2007) has an offset besides. *Beta* (Kull et al. 2017) bends it at even odds.
*Isotonic* regression (Zadrozny & Elkan 2002) takes any curve that never falls. All are fitted to targets held back by
one example a class, so that none becomes certain. Of many classes each has its curve, against the rest, after one
temperature for all. "auto" takes the family with the lowest log loss on folds that it did not learn; it bears a star in
the tables.

- *Evidence still adds up.* Behind a line, terms are multiplied by its slope and the prior takes the offset. Behind a
curve, what it adds or takes away is a term of its own, "(calibration)".

## How to read the tables

- Of all sets some examples are held out: as the set says, or {held_out} at random (seed {seed}); of Adult and Letter
{most} rows drawn at random are learnt, and all others of the first part left. *Log loss* is the mean of −log p(true
class) in nats. *ECE*, the expected calibration error, is the mean over {bins} bins, of as many examples each, of the
distance between what was said and what came true: of the second class, where there are two, and else of the predicted
one.

- *none* takes scores for nats: log-probabilities as the model says them, margins as if a unit were a nat.
*scikit-learn* is `CalibratedClassifierCV` {scikit} with `ensemble=False` on the same models.
"""

READING = """
## What one reads from it

- **Naive Bayes gains most.** Its log loss on Spambase falls from {spambase[naive Bayes][none].loss} to
{spambase[naive Bayes][isotonic].loss} by an isotonic curve, on Adult from {adult[naive Bayes][none].loss} to
{adult[naive Bayes][isotonic].loss}, among SMS from {sms[naive Bayes][none].loss} to {sms[naive Bayes][isotonic].loss}.
Where scores decide too soon it errs less, too: on Spambase {spambase[naive Bayes][none].error} of verdicts were wrong,
and {spambase[naive Bayes][isotonic].error} are. A temperature leaves every verdict as it was.

- **No family is the best everywhere**: "auto" took {chosen}. What it took has a log loss within one per cent of the
best of the four on what is held out in {within} of {cases} cases.

- **Nothing is certain.** scikit-learn fits its isotonic curve to 0 and 1, so that one surprise costs as much as a
probability of 0 does, here 708 nats; ours, fitted to targets that are held back, has the lower log loss in
{isotonic_isotonic} of {cases} cases. Platt's line has it in {platt_sigmoid}, a temperature in
{temperature_temperature}. scikit-learn has Platt's targets, too, but gives its line probabilities of naive Bayes, not
log-odds.

- **Of many classes** each curve sees the log-odds of its class against the rest where the model says probabilities, and
the margin of its class where it says margins. On Letter the ECE of the linear SVM stays high,
{letter[linear SVM][isotonic].ece} for the best curves: most of its margins, one class against 25, say little, and
normalising what 26 curves say keeps none of their promises exactly. The log loss falls from
{letter[linear SVM][none].loss} to {letter[linear SVM][isotonic].loss}. Lines, which may not fall, do harm there: with
Platt's {letter[linear SVM][platt].error} of verdicts are wrong instead of {letter[linear SVM][none].error}.
"""

FEEDBACK = """
## Feedback

Mail of TREC 2007 in its order of arrival: naive Bayes learns the first {learnt} messages and stays. Of the {told} after
them each is judged, and after every {piece} `recalibrate` tells the calibrator what they were. *None* leaves it as the
fit made it; with a half-life of 1,000 an example counts half after a thousand more; *all alike* never forgets. The
filter grows old as mail changes: what Platt's line of the fit says costs {platt_frozen} nats a message, and
{platt_recent} where it follows. A temperature cannot move the verdict, and follows only so far, to
{temperature_recent}.
"""
