//! Newton's method for a smooth loss of one score and few features, whole: look, system, step, until the gap is small.
//!
//! ```text
//! min over w, b of   P(w, b) = Σ c_i ℓ(y_i, x_i·w + b + o_i) + ½λ‖w‖²,      g = λw − Σ c_i a_i x_i,  a = −∂ℓ/∂s
//! ```
//!
//! A step is taken whole where it brings the slope along it near 0, else as long as a search along it says, which needs
//! no pass over X; of losses with kinks b is minimised out after it. a is feasible for the dual once the heavier of its
//! sides is shrunk to the lighter; the two sides are summed apart, so that the gap costs no pass of its own. Floor of a
//! step: two passes over X, of many columns three, and what `system` says.

use super::few::Few;
use super::line::search;
use super::moments::Moments;
use super::system::{System, dot};
use super::{Ending, Limits, Problem, Progress, Solution, Watch, shares};
use crate::halt::{current, is_given_up};
use crate::loss::shift::best_shift;
use crate::loss::sums::Scored;
use crate::loss::{DualLoss, OfLoss};
use crate::parallel::fill_both;

/// Examples that are summed at once.
const STRETCH: usize = 1 << 12;
/// Of so many columns the Hessian takes so much longer than a pass over X that it waits until it is known to be needed.
const WIDE: usize = 64;

/// The optimum, from w and b or from 0; λ > 0.
pub fn solve<L: DualLoss>(
    problem: &Problem<'_, Few<'_>, L>,
    strength: f64,
    start: Option<(&[f64], f64)>,
    limits: Limits,
    watch: &mut Watch<'_>,
) -> Solution {
    let of = Objective { problem, strength, limits };
    let mut point = Point::new(&of, start);
    let (mut moments, mut iterations) = (point.look(&of), 0);
    let (mut best, mut progress) = (point.best(), Progress::new());
    let ending = loop {
        let Some(known) = &moments else {
            // Nobody waits for more, as the watcher finds, or no step goes down.
            let ended = is_given_up(&current()) && watch(iterations, best.primal, best.gap);
            break if ended { Ending::Stopped } else { Ending::Overflow };
        };
        best = point.best();
        if let Some(ending) = progress.ending(iterations, best.primal, best.gap, limits, watch) {
            break ending;
        }
        iterations += 1;
        moments = point.step(&of, known);
    };
    let Best { w, b, dual, .. } = best;
    Solution { w, b, dual, iterations, ending }
}

/// P, and when to stop.
struct Objective<'a, 'p, L> {
    problem: &'a Problem<'p, Few<'p>, L>,
    strength: f64,
    limits: Limits,
}

/// What is known of the last point that was looked at.
struct Best {
    w: Vec<f64>,
    b: f64,
    dual: Vec<f64>,
    primal: f64,
    gap: f64,
}

/// Weights, their scores, and what follows from them.
struct Point {
    w: Vec<f64>,
    b: f64,
    /// With the offset.
    s: Vec<f64>,
    a: Vec<f64>,
    h: Vec<f64>,
    primal: f64,
    gap: f64,
    dual: Vec<f64>,
}

impl Point {
    fn new<L>(of: &Objective<'_, '_, L>, start: Option<(&[f64], f64)>) -> Point {
        let rows = of.problem.rows;
        let (count, columns) = (rows.count(), rows.columns());
        let (w, b) = start.map_or((vec![0.0; columns], 0.0), |(w, b)| (w.to_vec(), b));
        let mut s = match start {
            Some(_) => rows.scores(&w, b),
            None => vec![0.0; count],
        };
        s.iter_mut().enumerate().for_each(|(i, s)| *s += of.problem.offset(i));
        let (a, h) = (vec![0.0; count], vec![0.0; count]);
        Point { w, b, s, a, h, primal: f64::NAN, gap: f64::INFINITY, dual: vec![0.0; count] }
    }

    fn best(&self) -> Best {
        let Point { w, b, dual, primal, gap, .. } = self;
        Best { w: w.clone(), b: *b, dual: dual.clone(), primal: *primal, gap: *gap }
    }

    /// Primal, dual point and gap; the sums that the next step needs, or None where nobody waits for them.
    ///
    /// A conjugate is convex, 0 at 0, and known without a logarithm where a = −∂ℓ/∂s: that bounds the gap. What is more is
    /// asked for only where the sides, were they as heavy as each other, would leave a gap that is small enough.
    fn look<L: DualLoss>(&mut self, of: &Objective<'_, '_, L>) -> Option<Moments> {
        let Objective { problem, strength, limits } = *of;
        let Problem { rows, y, weight, offset, .. } = *problem;
        if problem.intercept && problem.loss.has_kinks() {
            let scored = Scored { y, c: weight, s: &self.s };
            let along = |t: f64| problem.loss.narrow(Along { scored, d: None, t });
            let shift = best_shift(&along, weight.iter().sum());
            self.b += shift;
            self.s.iter_mut().for_each(|s| *s += shift);
        }
        let looking = Looking { y, c: weight, offset, s: &self.s, a: &mut self.a, h: &mut self.h };
        let [losses, above, below] = problem.loss.narrow(looking);
        let pulls: Vec<f64> = self.a.iter().zip(weight).map(|(a, c)| c * a).collect();
        let weight = if rows.columns() < WIDE { &self.h[..] } else { &[] };
        let moments = Moments::of(rows, weight, &pulls)?;
        let (up, down) = if problem.intercept { shares(moments.up.1, -moments.down.1) } else { (1.0, 1.0) };
        let both = moments.up.0.iter().zip(&moments.down.0);
        let v: Vec<f64> = both.map(|(above, below)| up * above + down * below).collect();
        self.dual.clear();
        self.dual.extend(self.a.iter().map(|a| a * if *a > 0.0 { up } else { down }));
        self.primal = losses + 0.5 * strength * dot(&self.w, &self.w);
        let short = self.primal + 0.5 * dot(&v, &v) / strength;
        let (bound, enough) = (up * above + down * below, limits.enough(self.primal));
        let exact = short + bound > enough && short + above + below <= enough;
        let gap = short + if exact { problem.total_conjugate(&self.dual) } else { bound };
        self.gap = if gap < 0.0 { 0.0 } else { gap }; // NaN stays NaN, and is never small enough
        Some(moments)
    }

    /// Makes one step; the sums for the next, or None where no step goes down, or nobody waits for it.
    fn step<L: DualLoss>(&mut self, of: &Objective<'_, '_, L>, moments: &Moments) -> Option<Moments> {
        let Objective { problem, strength, .. } = *of;
        let Moments { up, down, .. } = moments;
        let pull = up.0.iter().zip(&down.0).zip(&self.w);
        let downhill: Vec<f64> = pull.map(|((up, down), w)| up + down - strength * w).collect();
        let border = if problem.intercept { up.1 + down.1 } else { 0.0 };
        let ridge = vec![strength; self.w.len()];
        let own =
            if moments.lower.is_empty() { Some(Moments::of(problem.rows, &self.h, &[])?) } else { None };
        let curved = own.as_ref().unwrap_or(moments);
        let (dw, db) = System::new(curved, &ridge, problem.intercept).solve(&downhill, border);
        let db = if problem.intercept { db } else { 0.0 };
        let first = -(dot(&downhill, &dw) + border * db);
        if !first.is_finite() || first >= 0.0 {
            return None;
        }
        let line = Line {
            ww: strength * dot(&self.w, &dw),
            wd: strength * dot(&dw, &dw),
            ds: problem.rows.scores(&dw, db),
            s: std::mem::take(&mut self.s),
            from: (std::mem::take(&mut self.w), self.b),
            by: (dw, db),
        };
        let t = line.search(problem, first);
        let moved = |from: &[f64], by: &[f64]| from.iter().zip(by).map(|(from, by)| from + t * by).collect();
        (self.w, self.b) = (moved(&line.from.0, &line.by.0), line.from.1 + t * line.by.1);
        self.s = moved(&line.s, &line.ds);
        self.look(of)
    }
}

/// What is known along a step: λ w·dw, λ dw·dw, weights and scores before it, and how they change.
struct Line {
    ww: f64,
    wd: f64,
    from: (Vec<f64>, f64),
    by: (Vec<f64>, f64),
    s: Vec<f64>,
    ds: Vec<f64>,
}

impl Line {
    /// Finds how far to go, of a step that falls so steeply at first.
    fn search<L: DualLoss>(&self, problem: &Problem<'_, Few<'_>, L>, first: f64) -> f64 {
        let scored = Scored { y: problem.y, c: problem.weight, s: &self.s };
        let along = |t: f64| {
            let (slope, bend) = problem.loss.narrow(Along { scored, d: Some(&self.ds), t });
            (slope + self.ww + t * self.wd, bend + self.wd)
        };
        search(&along, first)
    }
}

/// Writes a = −∂ℓ/∂s and c ∂²ℓ/∂s².
struct Looking<'a> {
    y: &'a [f64],
    c: &'a [f64],
    offset: Option<&'a [f64]>,
    s: &'a [f64],
    a: &'a mut [f64],
    h: &'a mut [f64],
}

impl OfLoss for Looking<'_> {
    /// Σ c ℓ, and Σ c [ℓ*(y, −a) + a·offset] of a above 0 and of others.
    type Output = [f64; 3];

    fn call<L: DualLoss>(self, loss: L) -> [f64; 3] {
        let Looking { y, c, offset, s, a, h } = self;
        let parts: Vec<[f64; 3]> = fill_both((a, STRETCH), (h, STRETCH), &|k, a, h| {
            let mut sums = [0.0; 3];
            for (i, (a, h)) in (k * STRETCH..).zip(a.iter_mut().zip(h)) {
                let (value, slope, curvature) = loss.look(y[i], s[i]);
                (*a, *h) = (-slope, c[i] * curvature);
                if c[i] > 0.0 {
                    let conjugate = slope * (s[i] - offset.map_or(0.0, |offset| offset[i])) - value;
                    sums[0] += c[i] * value;
                    sums[if slope < 0.0 { 1 } else { 2 }] += c[i] * conjugate;
                }
            }
            sums
        });
        parts.into_iter().fold([0.0; 3], |[a, b, c], [x, y, z]| [a + x, b + y, c + z])
    }
}

struct Along<'a> {
    scored: Scored<'a>,
    d: Option<&'a [f64]>,
    t: f64,
}

impl OfLoss for Along<'_> {
    type Output = (f64, f64);

    fn call<L: DualLoss>(self, loss: L) -> (f64, f64) {
        self.scored.along(loss, self.d, self.t)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::{Huber, Logistic, SquaredHinge};
    use crate::products::scores_turned;
    use crate::rows::Rows;

    fn rises_nowhere<L: DualLoss>(loss: L, margin: bool, strength: f64, intercept: bool) {
        const N: usize = 300;
        let number = |k: usize| ((k as f64 * 0.7391).sin() * 1e4).fract();
        let x: Vec<f64> = (0..N * 3).map(number).collect();
        let rows = Rows::<f64, i32>::dense(&x, N, 3).unwrap();
        let y: Vec<f64> = (0..N)
            .map(|i| x[3 * i] + 0.5 * number(i + 11))
            .map(|y| if margin { 1_f64.copysign(y) } else { y })
            .collect();
        let offset: Vec<f64> = (0..N).map(|i| 0.3 * number(i + 5)).collect();
        let weight: Vec<f64> = (0..N).map(|i| [1.0, 0.0, 2.5][i % 3]).collect();
        let held = Few::new(&rows);
        let problem = Problem { rows: &held, y: &y, weight: &weight, offset: Some(&offset), loss, intercept };
        let found = solve(&problem, strength, None, Limits::new(1e-9, 100), &mut |_, _, _| false);
        assert_eq!(found.ending, Ending::Converged);
        let value = |w: &[f64], b: f64| {
            problem.total_loss(&scores_turned(&rows, w, &[b])) + 0.5 * strength * dot(w, w)
        };
        let least = value(&found.w, found.b);
        for j in 0..=3 {
            for step in [-1e-3, 1e-3] {
                let (mut w, mut b) = (found.w.clone(), found.b);
                match w.get_mut(j) {
                    Some(w) => *w += step,
                    None if intercept => b += step,
                    None => continue,
                }
                assert!(value(&w, b) >= least - 1e-9 * least, "{j} {step}");
            }
        }
        let again =
            solve(&problem, strength, Some((&found.w, found.b)), Limits::new(1e-9, 100), &mut |_, _, _| {
                false
            });
        assert_eq!(again.iterations, 0);
    }

    #[test]
    fn a_minimum_is_one_whatever_the_price_of_errors() {
        for strength in [1e-4, 1.0, 1e4] {
            for intercept in [false, true] {
                rises_nowhere(Logistic, true, strength, intercept);
                rises_nowhere(SquaredHinge, true, strength, intercept);
                rises_nowhere(Huber { delta: 0.3 }, false, strength, intercept);
            }
        }
    }
}
