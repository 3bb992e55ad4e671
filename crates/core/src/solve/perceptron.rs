//! The perceptron: Rosenblatt (1958).
//!
//! ```text
//! for every example in turn:   while sign(x·w + b) ≠ y:   w ← w + y·x,  b ← b + y          sign(0) = +1
//! ```
//!
//! An example of weight c takes at most c such updates a visit, the last one by what is left of c: whole weights are
//! repetitions. Novikoff (1962): if some (u, β) of length 1 has y (x·u + β) ≥ γ everywhere, there are at most (R/γ)²
//! updates, R the length of the longest (x, 1). The pocket keeps, of all weights met, those of the lowest error on all
//! examples. Up to `COUNTED` repetitions errors are counted after every update, so that nothing better was met; beyond,
//! by the ratchet of Gallant (1990): wherever a run of right answers is longer than that of the weights in the pocket,
//! and at the end of every pass. The average of
//! the weights after every visit is Freund & Schapire's (1999), as w − u/t with u = Σ (visits before)·update.

use pulp::{Arch, Simd, WithSimd};

use crate::products::scores;
use crate::rows::{Index, Rows, Value};
use crate::solve::{Ending, Order, Watch};

/// Examples and how to learn from them.
pub struct Plan<'a, 'r, V, I> {
    /// X (N, d).
    pub rows: &'a Rows<'r, V, I>,
    /// y (N,) −1 or +1.
    pub y: &'a [f64],
    /// c (N,) ≥ 0.
    pub weight: &'a [f64],
    /// Whether b is learnt; else it stays.
    pub intercept: bool,
    /// The seed of the order of every pass; without one examples come in their own order.
    pub shuffle: Option<u64>,
    /// Whether the best weights met are wanted, and not the last.
    pub pocket: bool,
    /// Passes at most.
    pub max_iter: usize,
    /// It ends after so many passes without markedly fewer mistakes, which are also so many times those up to the best;
    /// None: it does not.
    pub patience: Option<(usize, usize)>,
}

/// Weights, and what was met on the way to them.
#[derive(Clone)]
pub struct State {
    /// (d,).
    pub w: Vec<f64>,
    /// The intercept.
    pub b: f64,
    /// u (d,) and that of b: the average of the weights is w − u/t; empty where nobody wants it.
    pub early: Vec<f64>,
    /// See `early`.
    pub early_b: f64,
    /// t, the weight of all visits.
    pub visits: f64,
    /// Updates, those by a part of x as that part.
    pub mistakes: f64,
}

/// What came out.
pub struct Found {
    /// The last weights.
    pub last: State,
    /// The weights in the pocket: w (d,), b; the last where none is kept.
    pub best: (Vec<f64>, f64),
    /// Passes over the data.
    pub iterations: usize,
    /// (R/γ)² for the margin γ of the last weights, which is not above the largest there is; ∞ if they separate not.
    pub bound: f64,
    /// How it ended: converged after a pass without a mistake.
    pub ending: Ending,
}

/// Updates of one example that are taken one by one, so that they round as those of repeated rows.
const ONE_BY_ONE: f64 = 1024.0;

/// Up to so many repetitions the pocket counts errors after every update.
pub const COUNTED: f64 = 1000.0;

/// Of so many rows at most errors are counted on one thread, and no further than they can be the fewest.
const ALONE: usize = 1 << 14;

/// Tells by how many passes of so many mistakes differ by chance alone: a tenth, and of more than a hundred their root.
fn chance(mistakes: f64) -> f64 {
    mistakes.sqrt().min(0.1 * mistakes)
}

struct Pocket {
    w: Vec<f64>,
    b: f64,
    error: f64,
    /// Right answers in a row that other weights are to exceed: those of these weights when they were looked at.
    run: f64,
    /// Whether errors are counted after every update.
    always: bool,
}

/// Visits the examples until a pass is without mistakes, from `state` on.
pub fn solve<V: Value, I: Index>(plan: &Plan<'_, '_, V, I>, state: State, watch: &mut Watch<'_>) -> Found {
    let mut places: Vec<u32> = (0..plan.y.len() as u32).filter(|&i| plan.weight[i as usize] > 0.0).collect();
    let mut order = plan.shuffle.map(Order::new);
    let mut pocket = plan.pocket.then(|| Pocket {
        error: error(plan, &state.w, state.b),
        w: state.w.clone(),
        b: state.b,
        run: 0.0,
        always: plan.weight.iter().sum::<f64>() <= COUNTED,
    });
    let mut now = state;
    let mut before = now.clone();
    let mut ending = Ending::Exhausted;
    let mut iterations = 0;
    let mut run = 0.0;
    let (mut fewest, mut best) = (f64::INFINITY, 0);
    while iterations < plan.max_iter {
        iterations += 1;
        if let Some(order) = &mut order {
            order.shuffle(&mut places);
        }
        before.copy(&now);
        let (state, kept) = (&mut now, pocket.as_mut());
        let wrong = Arch::new().dispatch(Pass { plan, places: &places, state, pocket: kept, run: &mut run });
        if !now.finite() {
            now = before;
            ending = Ending::Overflow;
            break;
        }
        if wrong == 0.0 {
            ending = Ending::Converged;
            watch(iterations, 0.0, f64::NAN);
            break;
        }
        if watch(iterations, wrong, f64::NAN) {
            ending = Ending::Stopped;
            break;
        }
        let least = pocket.as_ref().map_or(wrong, |pocket| pocket.error);
        if fewest == f64::INFINITY || least <= fewest - chance(fewest) {
            (fewest, best) = (least, iterations);
        }
        if plan.patience.is_some_and(|(least, times)| iterations - best >= least.max(times * best)) {
            break;
        }
    }
    let bound = if ending == Ending::Converged { bound(plan, &now) } else { f64::INFINITY };
    let best = match pocket {
        Some(pocket) if ending != Ending::Converged => (pocket.w, pocket.b),
        _ => (now.w.clone(), now.b),
    };
    Found { last: now, best, iterations, bound, ending }
}

/// Σ c over the examples on the wrong side.
fn error<V: Value, I: Index>(plan: &Plan<'_, '_, V, I>, w: &[f64], b: f64) -> f64 {
    let wrong = scores(plan.rows, w, &[b]).into_iter().zip(plan.y).map(|(s, &y)| (s >= 0.0) != (y > 0.0));
    wrong.zip(plan.weight).map(|(wrong, c)| if wrong { *c } else { 0.0 }).sum()
}

/// The same, or None once it is no less than `most`.
fn error_below<V: Value, I: Index>(plan: &Plan<'_, '_, V, I>, w: &[f64], b: f64, most: f64) -> Option<f64> {
    if plan.y.len() > ALONE {
        return Some(error(plan, w, b));
    }
    let mut sum = 0.0;
    for (i, (&y, &c)) in plan.y.iter().zip(plan.weight).enumerate() {
        if c > 0.0 && (plan.rows.row(i).dot(w) + b >= 0.0) != (y > 0.0) {
            sum += c;
            if sum >= most {
                return None;
            }
        }
    }
    Some(sum)
}

/// ‖(x, 1)‖² of row i, or ‖x‖² without an intercept.
#[inline(always)]
fn square<V: Value, I: Index>(plan: &Plan<'_, '_, V, I>, i: usize) -> f64 {
    plan.rows.row(i).squared_norm() + f64::from(u8::from(plan.intercept))
}

/// (R/γ)².
fn bound<V: Value, I: Index>(plan: &Plan<'_, '_, V, I>, state: &State) -> f64 {
    let counted = |i: &usize| plan.weight[*i] > 0.0;
    let s = scores(plan.rows, &state.w, &[state.b]);
    let functional = (0..s.len()).filter(counted).map(|i| plan.y[i] * s[i]).fold(f64::INFINITY, f64::min);
    let longest = (0..s.len()).filter(counted).map(|i| square(plan, i)).fold(0.0, f64::max);
    let length = state.w.iter().map(|w| w * w).sum::<f64>() + state.b * state.b;
    if functional > 0.0 { longest * length / (functional * functional) } else { f64::INFINITY }
}

impl State {
    /// Becomes another, in the room that it has.
    fn copy(&mut self, other: &State) {
        self.w.copy_from_slice(&other.w);
        self.early.copy_from_slice(&other.early);
        (self.b, self.early_b) = (other.b, other.early_b);
        (self.visits, self.mistakes) = (other.visits, other.mistakes);
    }

    fn finite(&self) -> bool {
        let all = |x: &[f64]| x.iter().all(|x| x.is_finite());
        self.b.is_finite() && all(&self.w) && self.early_b.is_finite() && all(&self.early)
    }
}

struct Pass<'a, 's, 'b, 'r, V, I> {
    plan: &'a Plan<'b, 'r, V, I>,
    places: &'a [u32],
    state: &'s mut State,
    pocket: Option<&'s mut Pocket>,
    run: &'s mut f64,
}

impl<V: Value, I: Index> WithSimd for Pass<'_, '_, '_, '_, V, I> {
    type Output = f64;

    /// The weight of what was wrong when first looked at.
    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) -> f64 {
        let mut total = 0.0;
        for (k, &i) in self.places.iter().enumerate() {
            self.plan.rows.warm_ahead(self.places, k);
            total += self.visit(i as usize);
        }
        if let Some(pocket) = self.pocket.as_deref_mut() {
            pocket.look(self.plan, self.state, pocket.run);
        }
        total
    }
}

impl<V: Value, I: Index> Pass<'_, '_, '_, '_, V, I> {
    /// All updates that one example asks for; how much of it was wrong at first.
    #[inline(always)]
    fn visit(&mut self, i: usize) -> f64 {
        let (y, c, row) = (self.plan.y[i], self.plan.weight[i], self.plan.rows.row(i));
        let mut left = c;
        let mut square = None;
        while left > 0.0 {
            let s = row.dot(&self.state.w) + self.state.b;
            if (s >= 0.0) == (y > 0.0) {
                break;
            }
            if let Some(pocket) = self.pocket.as_deref_mut()
                && !pocket.always
                && *self.run > pocket.run
            {
                // Gallant looks as soon as the run is longer, at weights that stay the same to its end.
                let longer = pocket.run + 1.0;
                pocket.look(self.plan, self.state, longer);
            }
            *self.run = 0.0;
            let mut square = || *square.get_or_insert_with(|| self::square(self.plan, i));
            let step = match self.plan.intercept || square() > 0.0 {
                true if left > ONE_BY_ONE => (s.abs() / square()).floor().max(1.0).min(left),
                true => left.min(1.0),
                false => left,
            };
            let state = &mut *self.state;
            row.add_to(y * step, &mut state.w);
            let wanted = !state.early.is_empty();
            if wanted {
                // The updates of a long step count as if taken at its start.
                row.add_to(y * step * state.visits, &mut state.early);
            }
            if self.plan.intercept {
                state.b += y * step;
                state.early_b += if wanted { y * step * state.visits } else { 0.0 };
            }
            state.mistakes += step;
            state.visits += step;
            left -= step;
            if let Some(pocket) = self.pocket.as_deref_mut().filter(|pocket| pocket.always) {
                pocket.look(self.plan, self.state, 0.0);
            }
        }
        self.state.visits += left;
        *self.run += left;
        if left < c { c } else { 0.0 }
    }
}

impl Pocket {
    /// Takes the weights if they err less.
    fn look<V: Value, I: Index>(&mut self, plan: &Plan<'_, '_, V, I>, state: &State, run: f64) {
        let Some(found) = error_below(plan, &state.w, state.b, self.error) else { return };
        if found < self.error {
            self.error = found;
            self.run = run;
            self.w.copy_from_slice(&state.w);
            self.b = state.b;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_points_on_a_line_by_hand() {
        let (x, y) = ([1.0, 2.0, 4.0], [-1.0, -1.0, 1.0]);
        let rows = Rows::<_, i32>::dense(&x, 3, 1).unwrap();
        let plan = Plan {
            rows: &rows,
            y: &y,
            weight: &[1.0; 3],
            intercept: true,
            shuffle: None,
            pocket: false,
            max_iter: 100,
            patience: None,
        };
        let zero = State { w: vec![0.0], b: 0.0, early: vec![0.0], early_b: 0.0, visits: 0.0, mistakes: 0.0 };
        let found = solve(&plan, zero, &mut |_, _, _| false);
        assert!(found.ending == Ending::Converged && found.bound >= found.last.mistakes);
        assert!(x.iter().zip(y).all(|(x, y)| (x * found.last.w[0] + found.last.b >= 0.0) == (y > 0.0)));
    }
}
