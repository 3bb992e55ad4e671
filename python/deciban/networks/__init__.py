"""Multilayer perceptrons: layers of units, learnt by back-propagation.

    forward      s_j = Σ_i w_ji h_i + b_j,    h_j = σ(s_j)                    `network`, `activations`
    error        of the last h against the target                             `outputs`
    backward     δ_j = (Σ_k δ_k w_kj) σ'(s_j),    ∂𝓔/∂w_ji = δ_j h_i          `network`
    descent      w ← w − η · (what the gradients were until now)              `optimizers`, `schedules`
    epochs       every example once, in batches, until it no longer helps     `batches`, `training`, `history`

Rumelhart, Hinton & Williams, Nature 323 (1986). Arrays may be of any library and on any device
(`devices`); the first layer reads CSR rows, too, which are never made dense (`csr`).
"""

from __future__ import annotations

from deciban.lazy import lazy_attributes

__getattr__, __dir__ = lazy_attributes(__name__, {})
