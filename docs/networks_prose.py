"""What docs/networks.md says; what stands in braces is taken from the source or computed."""

DERIVATION = """\
# Back-propagation, derived and run

A multilayer perceptron is layers of units, each a weighted sum and a bend. To learn, it must know of every weight how
the error changes with it: back-propagation finds all of these slopes for about the price of two more predictions
(Rumelhart, Hinton & Williams, Nature 323, 1986). This page derives it a step at a time, with the code that does each
step beside it, and then runs it. The code is taken from `python/deciban/networks/` and the numbers are computed when
the page is written by `python docs/networks.py`; M1 to M4 are what docstrings and tests cite.

    s_j       signal of unit j                          h_j   what the unit makes of it
    w_ji      weight from unit i to unit j, b_j bias    x_i   = h_i of the lowest layer
    y_k       target of output k                        𝓔     error of one example

## Forward (M1)

    s_j = Σ_i w_ji h_i + b_j            h_j = σ(s_j)            of the last layer h = o(s)

Of n examples at once, a row each, the sums over i are one product of matrices: S = H W + b, where W has w_ji at [i, j].
Every layer keeps its s and h: the way back will ask for them.

```python
{forward}
```

What bends is one of three; `backward`, beside it, is needed below.

```python
{activations}
```

## The error (M2)

    squared                        𝓔 = ½ Σ_k e_k²,   e_k = h_k − y_k

    cross-entropy
      softmax                      𝓔 = −Σ_k y_k ln h_k,   h_k = e^(s_k) / Σ_m e^(s_m)
      logistic, each a yes or no   𝓔 = −Σ_k [y_k ln h_k + (1 − y_k) ln(1 − h_k)]

With ln h_k = s_k − ln Σ_m e^(s_m), and Σ_k y_k = 1, cross-entropy is a function of s that never takes the logarithm of
0, and no power of e leaves the range once the largest s is subtracted:

```python
{errors}
```

## δ of the output (M3)

Everything follows from one name: δ_j = ∂𝓔/∂s_j, by how much the error rises with the signal of unit j. Of the outputs,
where each error sees h and each h sees s, the chain rule is a sum over all h that s_k can move; [m = k] is 1 where they
are the same, else 0:

    δ_k = ∂𝓔/∂s_k = Σ_m ∂𝓔/∂h_m · ∂h_m/∂s_k

    squared error:             ∂𝓔/∂h_m = h_m − y_m = e_m
      linear, logistic         h_m moves with s_m alone:      δ_k = e_k σ'(s_k)
      softmax                  ∂h_m/∂s_k = h_m ([m = k] − h_k):
                               δ_k = Σ_m e_m h_m ([m = k] − h_k) = h_k (e_k − Σ_m e_m h_m)

    cross-entropy, of s:
      softmax                  𝓔 = ln Σ_m e^(s_m) − Σ_m y_m s_m
                               δ_k = e^(s_k) / Σ_m e^(s_m) − y_k = h_k − y_k
      logistic                 𝓔 = Σ_m [ln(1 + e^(s_m)) − y_m s_m]
                               δ_k = e^(s_k) / (1 + e^(s_k)) − y_k = h_k − y_k

Cross-entropy is made for its outputs: no σ' is left that could be near 0, so that an output that is sure and wrong
still learns.

```python
{deltas}
```

## δ of the hidden layers (M3)

s_j of a hidden unit moves h_j, which moves every s_k of the layer above, s_k = … + w_kj h_j + …, and through those
alone the error:

    δ_j = ∂𝓔/∂s_j = Σ_k  ∂𝓔/∂s_k · ∂s_k/∂h_j · ∂h_j/∂s_j
                  = Σ_k    δ_k   ·    w_kj   ·   σ'(s_j)

    δ_j = (Σ_k δ_k w_kj) σ'(s_j)

The δ of a layer come from those above as the signals came from below, along the same weights, read the other way: a
product with Wᵀ.

```python
{down}
```

(`mask` holds the units that dropout let through; without it there is none.) The slopes, `backward` above, are

    θ' = θ (1 − θ) ≤ ¼        tanh' = 1 − tanh² ≤ 1        max(0, s)' = 1 where s > 0, else 0

## The gradient (M3)

w_ji stands in one signal only, s_j = … + w_ji h_i + … + b_j, so that

    ∂𝓔/∂w_ji = ∂𝓔/∂s_j · ∂s_j/∂w_ji = δ_j h_i               ∂𝓔/∂b_j = δ_j

Over the examples these are summed: δ_j h_i of all pairs of units is one product of matrices, too. From the last layer
down:

```python
{backward}
```

and the whole of it, from an example to the gradients of all weights:

```python
{gradients}
```

Forward is one multiplication for each weight and example; back, two: one for ∂𝓔/∂w, one for the δ below, which the
lowest layer does without. A finite difference would cost a prediction for every single weight.
"""

BY_HAND = """\
## By hand

Two inputs, two logistic hidden units, two outputs with softmax and cross-entropy; one example, of the second class.

{working}

Each weight by δ_j h_i, as `Network.gradients` has it, and by moving the weight a hundred-thousandth up and down,
(𝓔(w + ε) − 𝓔(w − ε)) / 2ε:

| weight | δ_j h_i | the code | finite difference |
| --- | ---: | ---: | ---: |
{compared}

They agree to {agree}, and so do those of all weights of {catalogue} networks of two hidden layers: three activations,
each with every output and error that fit together. The page is not written otherwise.

Learning is to go a little against the gradient, w ← w − η ∂𝓔/∂w, for a few examples at a time, again and again:
`deciban.networks.optimizers` (descent with momentum, Adam), `schedules` and `training`.
"""

RUNS = """\
## Two moons

{moons} points on two half-moons, with noise; a third of them is held out. Without a hidden layer the boundary is a
line; sixteen units bend it.

| | weights | epochs | error, learnt | error, held out |
| --- | ---: | ---: | ---: | ---: |
{moon_rows}

![A straight boundary through the moons](networks-line.svg) ![A boundary that follows the moons](networks-moons.svg)

```python
from deciban import MLPClassifier
from deciban.report import decision_regions

model = MLPClassifier(hidden_layer_sizes=(16,), activation="tanh", learning_rate=0.02, batch_size=32).fit(X, y)
decision_regions(model, X, y)
```

## Handwritten digits

{digits} digits of 8 × 8 grey values, a third of them held out until the end. A fifth of the others is not learnt from,
either: it says which epoch to keep.

| epoch | loss | error | error, validation | ‖∂𝓔/∂W‖: layer 1 | layer 2 | layer 3 |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: |
{epochs}

Of the {held} digits held out, the network of epoch {kept} misreads {misread} ({misread_share}), and one without hidden
layers {linear} ({linear_share}): digits as small as these are nearly linear, as the moons are not. What the layers do
is seen all the same.

![Loss, error, gradients and idle units over the epochs](networks-digits.svg)

```python
from deciban.report import learning_curves

model = MLPClassifier((64, 32), batch_size=32, early_stopping=True, validation_fraction=0.2).fit(X, y)
learning_curves(model)  # or of model.history_; deciban train --report draws it, too
```

The error of a network is not convex. So there is no bound from below and no gap: the certificate gives the length of
the gradient instead, over all weights at once, here {gradient_length}, and says why it ended: "{ending}". That
there are no better weights it does not claim.

## Gradients that vanish (M4)

Every layer that δ comes down through multiplies it by W and by σ'. A logistic unit's slope is at most ¼, so that of
{deep} hidden layers little arrives at the lowest. The same digits, {deep} hidden layers of 32 units, descent with
momentum for at most 15 epochs; ‖∂𝓔/∂W‖ of each layer in the last of them:

| activation | {layer_titles} | error, held out |
| --- |{layer_rules} ---: |
{deep_rows}

![Gradients of a deep logistic network: each layer gets a fraction of those above it](networks-vanishing.svg)

The logistic network has learnt nothing: {deep_error} is a guess. What its certificate says of it:

> {vanishing}

tanh has slopes of up to 1, and ReLU of 1 wherever a unit is active; weights begin with the variance that keeps
signals as large from layer to layer as they came (`spread` in `activations.py`).

## Units that die (M4)

A ReLU that is below 0 on every example has no slope anywhere, learns nothing, and stays so. Long steps do it: the same
digits with a learning rate of 0.2, once from 0 to 1, once as they come, from 0 to 16.

| grey values | dead after the first epoch | in the end | error, held out |
| --- | ---: | ---: | ---: |
{dead_rows}

> {dying}

## Why this digit

`explain` weighs every pixel by integrated gradients (Sundararajan, Taly & Yan, ICML 2017): with f the difference of two
classes' scores and b the mean digit,

    evidence_i = (x_i − b_i) ∫₀¹ ∂f/∂x_i (b + t (x − b)) dt                Σ_i evidence_i = f(x) − f(b)

∂f/∂x is what back-propagation finds when it goes one step further down, δ of the first layer times W. The integral
turns a slope, which is of one point, into shares of a difference, which add up.

Someone wrote this digit for {truth}; it was held out, and is read as {called}. What speaks for {called} against
{against}, in decibans (10 are odds of 10 to 1):

![The digit, and the evidence of each of its pixels](networks-evidence.svg)

| | decibans |
| --- | ---: |
| the mean digit: {called} against {against} | {prior} |
| pixels that speak for {called}: {for_count} | {for_sum} |
| pixels that speak for {against}: {against_count} | {against_sum} |
| together: the log-odds | {log_odds} |
"""
