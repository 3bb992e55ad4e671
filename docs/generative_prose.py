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
the only one where both together take a second. Above 1 ours is quicker. Coding labels is in the times, counting words is not.

- No entry: scikit-learn has no such model. *refuses*: it raises `LinAlgError`, since a class does not vary in every
direction. *scaled*: both sides get columns divided by their standard deviation in training.
"""

READING = """
## What one reads from it

- **The same model gives the same errors.** In {equal} of {rows} comparisons the number of errors is the same. The others
differ in the model: Student's t, the amount of shrinkage, what stands for a missing label. Fitting is quicker than
scikit-learn in {quicker[0]} of them ({middle[0]} × in the middle), predicting in {quicker[1]} ({middle[1]} ×).
"""
