"""Writes docs/kernel.md, what kernel machines solve and how, and draws docs/kernel.svg, one of them.

python docs/kernel.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from deciban import SVM
from deciban.kernel_solvers import TABLE
from deciban.report import decision_regions, svg

TEXT = """\
# Machines with kernels

A support vector machine puts the widest street between two classes that it can; a kernel K lets the street bend. What
it learns is a sum over a few of the examples, the support vectors, and it can be proven how good it is. The numbers
S1 to S9 number the formulas. Written by `python docs/kernel.py`.

![Regions, margins and support vectors of a machine with an RBF kernel](kernel.svg)

{name} on {n} simulated examples, C = {C:g}. The boundary is where the score is 0, the dashed margins where it is −1
and +1. Examples by zone (S5): {outside} outside the margin, which could be left out without change; {on} on it;
{inside} inside; {wrong} on the wrong side. The {support} ringed ones are the support vectors. The relative gap between
primal and dual is {gap:.0e}: no other boundary is better by more.

```python
from deciban import SVM
from deciban.report import decision_regions, svg

figure = decision_regions(SVM(C={C:g}).fit(X, y), X, y, names=["width", "length"])  # a Matplotlib figure
figure.savefig("regions.png")
svg(figure)  # text that is text, and the same bytes every time
```

More features than two are drawn along their two leading principal components, or `features=("width", "length")` with
the others at their means; the figure says which. `regression_tube` draws the tube of a regression. They need
`pip install 'deciban[report]'`, as does `deciban train table.csv --label y --report report.html`: a page that stands
alone, with what was learnt, its certificate, the picture and the strongest evidence.

## What is solved

| | machine | the problem |
| --- | --- | --- |
| S2 | hard margin, `SVM(C=inf)` | min ½‖w‖² subject to y_i (w·φ(x_i) + b) ≥ 1 |
| S4 | soft margin, `SVM(C)` | min ½‖w‖² + C Σ c_i max(0, 1 − y_i (w·φ(x_i) + b)) |
| | ν, `SVM(nu=ν)` | min ½‖w‖² − ν ρ + Σ c_i max(0, ρ − y_i (w·φ(x_i) + b)) / Σc, then divided by ρ |
| | `OneClassSVM(nu=ν)` | min ½‖w‖² + Σ c_i max(0, ρ − w·φ(x_i)) − ν ρ Σc |
| | `SVMRegressor(C, epsilon=ε)` | min ½‖w‖² + C Σ c_i max(0, \\|y_i − w·φ(x_i) − b\\| − ε) |
| | `SVMRegressor(C, nu=ν)` | the same + C ν ε Σc, also over ε ≥ 0 |

φ is never written down: K(x, z) = φ(x)·φ(z), and the dual (S3, S4) sees only K. In signed coefficients β_i = y_i α_i it
is, for all of these machines,

    min over β   ½ Σ_ij β_i β_j K(x_i, x_j) − Σ_i t_i β_i    subject to    lo_i ≤ β_i ≤ hi_i,   Σ_i β_i = s

and the score is f(x) = Σ_i β_i K(x_i, x) + b. At the optimum (S5):

| | coefficient | margin | zone |
| --- | --- | --- | --- |
| small | α_i = 0 | y_i f(x_i) ≥ 1 | outside the margin |
| full, ringed | 0 < α_i < C | y_i f(x_i) = 1 | on the margin |
| half, ringed | α_i = C | 0 ≤ y_i f(x_i) ≤ 1 | inside the margin |
| hollow, crossed, ringed | α_i = C | y_i f(x_i) < 0 | on the wrong side |

Kernels (S6) are those of `deciban.kernels`, their sums and products, Gram matrices and functions of your own;
`mercer(kernel, X)` looks for a witness that one is none (S7), and training with such a kernel claims a stationary point
and no optimum.

## Who solves it

`solver="auto"` takes the first row that fits:

| | solver | where |
| --- | --- | --- |
{table}

`"dual-qp"` and `"primal-qp"` write the matrices of S2 to S4 and hand them to Clarabel, for certainty, where examples
are few; `deciban.QP(Q, c, A, a).solve()` does so with any programme, min ½ zᵀQz + cᵀz subject to A z ≥ a.
All of them end with the same proof, in float64 and knowing no solver: primal,
dual, relative gap, largest violation of the conditions above.

The textbook's five points, (1, 3), (3, 3), (4, 4) against (2, 1), (5, 2), have the hard margin w = {w}, b = {b}, and
{held} support vectors at the distance {margin:.6f} (S9).
"""


def simulated(n: int = 160) -> tuple[Any, Any]:
    """Two bent clouds that overlap a little."""
    r = np.random.default_rng(11)
    y, turn = np.arange(n) % 2, np.pi * r.random(n)
    X = np.column_stack([np.cos(turn), np.sin(turn)]) * np.where(y, 1.0, -1.0)[:, None]
    X += np.where(y, -0.5, 0.5)[:, None] * [1.0, 0.4] + 0.22 * r.normal(size=X.shape)
    return 10.0 + 3.0 * X, np.array(["ash", "birch"])[y]


def write(folder: Path) -> None:
    """The picture and the page."""
    X, y = simulated()
    model = SVM(C=3.0, calibration=None).fit(X, y)
    (folder / "kernel.svg").write_text(svg(decision_regions(model, X, y, names=["width", "length"])), encoding="utf-8")
    points = np.array([[1.0, 3.0], [3.0, 3.0], [4.0, 4.0], [2.0, 1.0], [5.0, 2.0]])
    street = SVM("linear", C=np.inf, calibration=None).fit(points, [1, 1, 1, -1, -1])
    zones = model.zones_[0]
    told = {
        **{name: getattr(zones, name) for name in ("outside", "on", "inside", "wrong", "support")},
        "name": "A machine with the kernel `rbf`",
        "n": len(y),
        "C": model.C,
        "gap": model.certificate_.relative_gap,
        "table": "\n".join(f"| {k} | `{name}` | {why} |" for k, (name, why, *_) in enumerate(TABLE, 1)),
        "w": "({:.6g}, {:.6g})".format(*street.coef_[0]).replace("-", "−"),
        "b": f"{street.intercept_[0]:.6g}".replace("-", "−"),
        "held": len(street.support_),
        "margin": street.margin_[0],
    }
    (folder / "kernel.md").write_text(TEXT.format(**told), encoding="utf-8")


if __name__ == "__main__":
    write(Path(__file__).parent)
