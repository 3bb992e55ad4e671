//! Stochastic gradient descent, one example or a few at a time (Robbins & Monro 1951; Bottou 2012).
//!
//! ```text
//! min over w, b of   (1/N) Σ_i c_i ℓ(y_i, x_i·w + b) + λ₁‖w‖₁ + ½λ₂‖w‖²
//! w ← prox(w − η_t g_t),   g_t the mean of c_i ℓ'(s_i) x_i over a batch,   prox: shrink by η_t λ₁, then by 1 + η_t λ₂
//! ```
//!
//! Duchi & Singer, JMLR 10 (2009); for λ₁ this is the truncated gradient of Langford, Li & Zhang, JMLR 10 (2009). A row
//! costs what it stores: with w = σv the shrinking is of σ alone, w ← soft(w − ηg, ηλ₁)/(1 + ηλ₂) is v ← soft(v − ηg/σ,
//! ηλ₁/σ), and amounts of softening that no row has looked at add up. The sum of all w is Sv + A with S = Σ σ, so that
//! a change δ of v costs A ← A − Sδ (Xu 2011).

use pulp::{Arch, Simd, WithSimd};

use crate::loss::Loss;
use crate::penalty::softened;
use crate::rows::{Index, Row, Rows, Value};
use crate::solve::{Order, Problem};

/// η_t, t = 1, 2, …
#[derive(Clone, Copy)]
pub enum Rule {
    /// η.
    Constant(f64),
    /// η / (1 + ηλ(t − 1)) (Bottou 2012).
    Decay(f64, f64),
    /// η / √t (Zinkevich 2003).
    Root(f64),
    /// η / √(Σ ‖g‖²), g up to this step of batches of one (Streeter & McMahan 2010).
    Adaptive(f64),
}

/// How to go down.
#[derive(Clone, Copy)]
pub struct Plan {
    /// Examples a step, > 0.
    pub batch: usize,
    /// How far.
    pub rule: Rule,
    /// Whether Σ w is wanted; λ₁ is then 0.
    pub averaged: bool,
    /// λ₁.
    pub l1: f64,
    /// λ₂.
    pub l2: f64,
    /// After every step (w, b) is brought back to this length; of batches of one.
    pub radius: f64,
    /// The seed of the order of the examples; without one they come in their own.
    pub shuffle: Option<u64>,
}

/// Where the descent is.
#[derive(Clone)]
pub struct State {
    /// (d,).
    pub w: Vec<f64>,
    /// The intercept.
    pub b: f64,
    /// Σ w after every step; of `Rule::Adaptive` less steps·w, so that whatever the passes, the same numbers are added.
    pub sum: Vec<f64>,
    /// Σ b.
    pub sum_b: f64,
    /// Steps.
    pub steps: f64,
    /// Σ ‖g‖², of `Rule::Adaptive`.
    pub squares: f64,
    /// Σ c ℓ of every example, before it was learnt from, of `Rule::Adaptive`.
    pub suffered: f64,
}

/// All examples once.
pub fn pass<V: Value, I: Index, L: Loss>(
    problem: &Problem<'_, Rows<'_, V, I>, L>,
    plan: &Plan,
    state: State,
) -> State {
    let mut places: Vec<u32> = (0..problem.y.len() as u32).collect();
    if let Some(seed) = plan.shuffle {
        Order::new(seed).shuffle(&mut places);
    }
    let sparse = problem.rows.count() > 0 && matches!(problem.rows.row(0), Row::Sparse(..));
    Arch::new().dispatch(Pass { problem, plan, places: &places, lazy: Lazy::new(state, plan, sparse) })
}

/// w = σv with what is still to be done to v.
struct Lazy {
    state: State,
    averaged: bool,
    l1: f64,
    /// Only what rows store is softened at once.
    sparse: bool,
    /// σ.
    scale: f64,
    /// S = Σ σ.
    total: f64,
    /// Whether `sum` is less steps·w.
    less: bool,
    /// The amount of softening since σ was 1, and how much of it each v_j had.
    soft: f64,
    softened: Vec<f64>,
    /// ‖w‖².
    square: f64,
}

/// σ below this is multiplied into v.
const SMALL: f64 = 1e-4;

impl Lazy {
    fn new(state: State, plan: &Plan, sparse: bool) -> Lazy {
        let Plan { l1, averaged, rule, .. } = *plan;
        let less = matches!(rule, Rule::Adaptive(_));
        let total = if less { state.steps } else { 0.0 };
        let softened = if l1 > 0.0 { vec![0.0; state.w.len()] } else { Vec::new() };
        let square = state.w.iter().map(|w| w * w).sum();
        Lazy { state, averaged, l1, sparse, scale: 1.0, total, less, soft: 0.0, softened, square }
    }

    fn soften(&mut self, j: usize) {
        self.state.w[j] = softened(self.state.w[j], self.soft - self.softened[j]);
        self.softened[j] = self.soft;
    }

    fn soften_all(&mut self) {
        if self.l1 > 0.0 {
            (0..self.state.w.len()).for_each(|j| self.soften(j));
        }
    }

    #[inline(always)]
    fn score<V: Value, I: Index>(&mut self, row: &Row<'_, V, I>) -> f64 {
        if self.l1 > 0.0 && self.sparse {
            row.each(|j, _| self.soften(j));
        }
        self.scale * row.dot(&self.state.w) + self.state.b
    }

    /// w ← w + step·x.
    #[inline(always)]
    fn add<V: Value, I: Index>(&mut self, row: &Row<'_, V, I>, step: f64) {
        let change = step / self.scale;
        row.add_to(change, &mut self.state.w);
        if self.averaged && self.total > 0.0 {
            row.add_to(-self.total * change, &mut self.state.sum);
        }
    }

    /// The penalty's part of a step.
    #[inline(always)]
    fn shrink(&mut self, rate: f64, l2: f64) {
        if self.l1 > 0.0 {
            self.soft += rate * self.l1 / self.scale;
            if !self.sparse {
                self.soften_all();
            }
        }
        self.multiply(1.0 / (1.0 + rate * l2));
    }

    #[inline(always)]
    fn multiply(&mut self, by: f64) {
        self.scale *= by;
        self.square *= by * by;
    }

    #[inline(always)]
    fn count(&mut self) {
        self.total += self.scale;
        self.state.sum_b += self.state.b;
        self.state.steps += 1.0;
        if self.scale < SMALL {
            self.settle();
        }
    }

    /// Does all that is still to be done.
    fn settle(&mut self) {
        self.soften_all();
        let kept = if self.less { self.state.steps } else { 0.0 };
        let due = self.total - kept * self.scale;
        if self.averaged && due != 0.0 {
            self.state.sum.iter_mut().zip(&self.state.w).for_each(|(sum, v)| *sum += due * v);
        }
        self.state.w.iter_mut().for_each(|w| *w *= self.scale);
        self.softened.fill(0.0);
        (self.scale, self.total, self.soft) = (1.0, kept, 0.0);
    }
}

struct Pass<'a, 'b, 'r, V, I, L> {
    problem: &'a Problem<'b, Rows<'r, V, I>, L>,
    plan: &'a Plan,
    places: &'a [u32],
    lazy: Lazy,
}

impl<V: Value, I: Index, L: Loss> WithSimd for Pass<'_, '_, '_, V, I, L> {
    type Output = State;

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) -> State {
        let mut slopes = vec![0.0; self.plan.batch.min(self.places.len())];
        for batch in self.places.chunks(self.plan.batch) {
            let slopes = &mut slopes[..batch.len()];
            self.look(batch, slopes);
            let rate = self.rate(batch, slopes);
            self.step(batch, slopes, rate);
        }
        self.lazy.settle();
        self.lazy.state
    }
}

impl<V: Value, I: Index, L: Loss> Pass<'_, '_, '_, V, I, L> {
    /// The slope of the mean loss at every score.
    #[inline(always)]
    fn look(&mut self, batch: &[u32], slopes: &mut [f64]) {
        let Problem { rows, y, weight, loss, .. } = self.problem;
        for (&i, slope) in batch.iter().zip(slopes) {
            let i = i as usize;
            let s = self.lazy.score(&rows.row(i));
            if matches!(self.plan.rule, Rule::Adaptive(_)) {
                self.lazy.state.suffered += weight[i] * loss.value(y[i], s);
            }
            *slope = weight[i] * loss.slope(y[i], s) / batch.len() as f64;
        }
    }

    #[inline(always)]
    fn rate(&mut self, batch: &[u32], slopes: &[f64]) -> f64 {
        let state = &mut self.lazy.state;
        match self.plan.rule {
            Rule::Constant(step) => step,
            Rule::Decay(step, strength) => step / (1.0 + step * strength * state.steps),
            Rule::Root(step) => step / (state.steps + 1.0).sqrt(),
            Rule::Adaptive(step) => {
                let constant = f64::from(u8::from(self.problem.intercept));
                let square = self.problem.rows.row(batch[0] as usize).squared_norm() + constant;
                state.squares += slopes[0] * slopes[0] * square;
                if state.squares > 0.0 { step / state.squares.sqrt() } else { 0.0 }
            }
        }
    }

    #[inline(always)]
    fn step(&mut self, batch: &[u32], slopes: &[f64], rate: f64) {
        let bounded = self.plan.radius.is_finite();
        for (&i, &slope) in batch.iter().zip(slopes) {
            if slope == 0.0 {
                continue;
            }
            let row = self.problem.rows.row(i as usize);
            let change = -rate * slope;
            if bounded {
                let score = self.lazy.scale * row.dot(&self.lazy.state.w);
                self.lazy.square += change * (2.0 * score + change * row.squared_norm());
            }
            self.lazy.add(&row, change);
            if self.problem.intercept {
                self.lazy.state.b += change;
            }
        }
        self.lazy.shrink(rate, self.plan.l2);
        if bounded {
            let length = (self.lazy.square.max(0.0) + self.lazy.state.b * self.lazy.state.b).sqrt();
            if length > self.plan.radius {
                self.lazy.multiply(self.plan.radius / length);
                self.lazy.state.b *= self.plan.radius / length;
            }
        }
        self.lazy.count();
    }
}
