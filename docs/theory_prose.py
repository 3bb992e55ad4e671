"""The words around the tables of theory.md; every number in them is filled in by theory.py."""

INTRODUCTION = """
# Theory, on real problems

`deciban.theory` says what can be promised of a classifier's error, each promise with its conditions, its reference, and
whether it says anything: a bound of 1 or more is *vacuous*. `deciban bound` says the same on the command line. Each is
solved for the error, the number of examples or the probability δ of failing, whichever is left out. Written by
`python docs/theory.py`.
"""

COMMANDS = """\
```
deciban bound binomial --errors 3 --n 500               # the error, judged by 500 test examples
deciban bound binomial --errors 3 --error 0.01          # how many test examples show that it is below 1 %
deciban bound hoeffding --n 1000 --hypotheses 10        # how far in sample and out of sample may be apart
deciban bound vc --n 1000 --dimension 11 --json
```"""

PROBLEMS = """
## Three problems, every bound

Linear support vector machines (C = 1; of MNIST 0.01), each bound with δ = 5 %.
"""

READING = """
- **Look at the test set.** Its bound needs nothing but examples that had no part in learning, and is exact. Of the
{cells} promises above {silent} say nothing: {vacuous}.

- **Hoeffding's inequality** does not look at how small the error is: {shown[hoeffding][0]}, {shown[hoeffding][1]} and
{shown[hoeffding][2]} where the binomial tail has {shown[binomial][0]}, {shown[binomial][1]} and {shown[binomial][2]}.

- **Margins** promise {shown[pac_bayes][2]} for MNIST's zeros and ones without a single test example (μ = {mu}): the
number of features does not enter, only how far from the boundary examples are. By the dimension alone: {shown[vc][2]}.

- **Support vectors**: `support_vectors` is an expectation and has no δ; `compression` holds with probability 1 − δ, and
is more than it by what it costs to name the support vectors among all examples. Both hold for soft margins, too:
leaving out an example outside the margin changes nothing.

- **All train set bounds** assume that features, kernel and C were fixed before the examples were seen. The
columns of breast cancer were centred and scaled by them, which the test set forgives and the other bounds, strictly, do
not.
"""

SIZES = """
## How many examples they ask for
"""

CURVES = """
## Learning curves

Spambase, classifiers of 57 columns: errors on the examples learnt and on a quarter held out, mean of five drawings
(`theory.learning_curve`). Where the two have met, more examples bring nothing; a model that can do more would. The
discriminant goes from {curves[discriminant].mean[1][0]:.3f} to {curves[discriminant].mean[1][3]:.3f} out of sample,
the RBF machine from {curves[RBF machine].mean[1][0]:.3f} to {curves[RBF machine].mean[1][3]:.3f}.
"""

PARTS = """
## Bias and variance

The same models on {repeats} samples of 250 (`theory.bias_variance`): error = bias + what variance costs − what it
saves, which is Domingos' decomposition of the 0-1 loss. Noise counts as bias.
"""

DICHOTOMIES = """
## How many labellings a hyperplane can bring about

Points drawn from a normal distribution, every labelling tried by a linear programme (`theory.separable`), beside
Cover's number (`theory.dichotomies`). Up to d + 1 points all labellings are possible: that is the VC dimension.
"""
