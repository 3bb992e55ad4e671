//! From the first step to the proof: shrinking, looking at everything again, stopping.

use super::super::{Ending, Limits, Watch};
use super::gap::Measure;
use super::pairs::Done;
use super::{Cached, Machine, Room, Source, State, measure, steps};
use crate::kernel::Real;
use crate::rows::Index;

/// Steps between two looks at the clock, at most; an iteration.
const ROUND: usize = 1000;
/// Coefficients that the steps of an iteration follow, where there are many, but for at least so many steps: else a
/// solver of many rows would hear late that it is to end.
const FOLLOWED: usize = 1 << 24;
const FEWEST: usize = 100;
/// Steps between two looks at the gap, at least: else a third of how many variables there are.
const STRETCH: usize = 200;
/// The same where rows are counted.
const SHORT: usize = 50;
/// Of so few variables, those that were left out are looked at again only at the end.
const FEW: usize = 4 * ROUND;
/// How often everything may be looked at again: floats carry no further.
const LOOKS: usize = 40;
/// At the first go, the violation is brought to so many times the tolerance: often the gap is then small enough.
const LOOSE: f64 = 10.0;

/// What was found.
pub struct Found {
    /// β (m,).
    pub beta: Vec<f64>,
    /// Kβ − t (m,), anew in double precision; empty where the kernel gave out.
    pub gradient: Vec<f64>,
    /// Rounds of steps.
    pub iterations: usize,
    /// How it ended.
    pub ending: Ending,
}

/// The optimum from a feasible β, or what was found when the room for rows was spent. None where the kernel cannot be had.
pub fn solve<R: Real>(
    machine: &Machine<'_>,
    source: &mut dyn Source<R>,
    start: Vec<f64>,
    limits: Limits,
    room: Room,
    watch: &mut Watch<'_>,
) -> Option<Found> {
    let mut cached = Cached::new(source, room);
    let diagonal = cached.source.diagonal()?.into_iter().map(R::double).collect();
    let mut whole = Whole {
        machine: *machine,
        gradient: Vec::new(),
        beta: start,
        diagonal,
        active: Vec::new(),
        state: State::default(),
        shrunk: false,
    };
    whole.look_again(&mut cached)?;
    whole.everything(&mut cached);
    whole.run(&mut cached, limits, watch)
}

struct Whole<'a> {
    machine: Machine<'a>,
    beta: Vec<f64>,
    /// What was last known: of variables left out it is out of date.
    gradient: Vec<f64>,
    diagonal: Vec<f64>,
    /// The variables of `state`.
    active: Vec<u32>,
    state: State,
    shrunk: bool,
}

impl Whole<'_> {
    fn run<R: Real>(
        mut self,
        cached: &mut Cached<'_, R>,
        limits: Limits,
        watch: &mut Watch<'_>,
    ) -> Option<Found> {
        let (mut eps, mut worth, mut looks, mut woken) = (LOOSE * limits.tol, f64::INFINITY, 0, false);
        let (mut iterations, mut ending) = (0, Ending::Exhausted);
        let mut fresh = true;
        while iterations < limits.max_iter {
            let (done, mut now) =
                self.round(cached, eps, |now| now.gap <= 0.5 * worth && now.enough(limits.tol));
            iterations += 1;
            fresh &= done.steps == 0;
            if done.ending == Ending::Stopped {
                return None;
            }
            if done.ending == Ending::Overflow {
                ending = Ending::Overflow;
                break;
            }
            let close = now.gap <= 0.5 * worth && now.enough(limits.tol);
            let nearer = (0.25 * eps).max(0.5 * limits.tol);
            if done.ending == Ending::Converged && !now.enough(limits.tol) && nearer < eps {
                eps = nearer; // it is known without another look that this does not do
            } else if done.ending == Ending::Converged || close {
                if !fresh {
                    self.look_again(cached)?;
                    self.everything(cached);
                    now = measure(&self.machine, &self.beta, &self.gradient);
                }
                (fresh, looks, woken) = (true, looks + 1, true);
                if now.enough(limits.tol) {
                    watch(iterations, now.primal, now.gap);
                    ending = Ending::Converged;
                    break;
                }
                (worth, eps) = (now.gap, (0.25 * eps.min(now.violation)).max(0.5 * limits.tol));
                if looks == LOOKS {
                    break;
                }
            }
            if watch(iterations, now.primal, now.gap) {
                ending = Ending::Stopped;
                break;
            }
            if cached.is_spent() {
                break;
            }
            if fresh {
                continue;
            }
            if self.shrunk && !woken && self.beta.len() > FEW && done.violation <= LOOSE * eps {
                self.look_again(cached)?;
                self.everything(cached);
                (fresh, woken) = (true, true);
            }
        }
        if !fresh {
            self.look_again(cached)?;
        }
        Some(Found { beta: self.beta, gradient: self.gradient, iterations, ending })
    }

    /// Up to `ROUND` steps; now and then what wants to stay is left out, and it ends where the gap is small enough.
    fn round<R: Real>(
        &mut self,
        cached: &mut Cached<'_, R>,
        eps: f64,
        enough: impl Fn(&Measure) -> bool,
    ) -> (Done, Measure) {
        let (mut taken, most) = (0, (FOLLOWED / self.beta.len().max(1)).clamp(FEWEST, ROUND));
        loop {
            let long =
                if cached.is_limited() { SHORT } else { (self.active.len() / 3).clamp(STRETCH, ROUND) };
            let stretch = long.min(most - taken);
            let mut done = steps(&mut self.state, cached, eps, stretch);
            taken += done.steps;
            done.steps = taken;
            self.write_back();
            let now = measure(&self.machine, &self.beta, &self.gradient);
            if done.ending != Ending::Exhausted || enough(&now) {
                return (done, now);
            }
            self.shrink(cached);
            if taken == most || cached.is_spent() {
                return (done, now);
            }
        }
    }

    fn write_back(&mut self) {
        for ((&i, &beta), &gradient) in self.active.iter().zip(&self.state.beta).zip(&self.state.gradient) {
            (self.beta[i as usize], self.gradient[i as usize]) = (beta, gradient);
        }
    }

    /// G anew, in double precision.
    fn look_again<R: Real>(&mut self, cached: &mut Cached<'_, R>) -> Option<()> {
        let Machine { t, row, .. } = self.machine;
        if self.beta.iter().all(|&b| b == 0.0) {
            self.gradient = t.iter().map(|t| -t).collect();
            return Some(());
        }
        let mut of_rows = vec![0.0; self.diagonal.len()];
        row.iter().zip(&self.beta).for_each(|(&row, b)| of_rows[row.place()] += b);
        let f = cached.source.scores(&of_rows)?;
        self.gradient = row.iter().zip(t).map(|(&row, t)| f[row.place()] - t).collect();
        Some(())
    }

    /// Every variable that can move is active.
    fn everything<R: Real>(&mut self, cached: &mut Cached<'_, R>) {
        let Machine { lo, hi, group, sums, .. } = self.machine;
        let movable = |&i: &u32| lo[i as usize] < hi[i as usize];
        let all: Vec<u32> = (0..self.beta.len() as u32).filter(movable).collect();
        let of = |g: usize| all.iter().copied().filter(move |&i| group[i as usize].place() == g);
        let sorted: Vec<u32> =
            if sums.len() == 1 { all.clone() } else { (0..sums.len()).flat_map(of).collect() };
        let same = sorted == self.active;
        self.active = sorted;
        self.gather();
        if !same {
            cached.reset(&self.rows());
        }
        self.shrunk = false;
    }

    fn rows(&self) -> Vec<u32> {
        self.active.iter().map(|&i| self.machine.row[i as usize].place() as u32).collect()
    }

    fn gather(&mut self) {
        let of = |all: &[f64]| self.active.iter().map(|&i| all[i as usize]).collect::<Vec<f64>>();
        let Machine { lo, hi, group, sums, row, .. } = self.machine;
        let mut ends = vec![0; sums.len() + 1];
        self.active.iter().for_each(|&i| ends[group[i as usize].place() + 1] += 1);
        (0..sums.len()).for_each(|g| ends[g + 1] += ends[g]);
        let diagonal = self.active.iter().map(|&i| self.diagonal[row[i as usize].place()]).collect();
        let (beta, gradient, lo, hi) = (of(&self.beta), of(&self.gradient), of(lo), of(hi));
        self.state = State { beta, gradient, lo, hi, diagonal, ends, ..State::default() };
        self.state.settle();
    }

    /// Leaves out what lies at a bound and wants to go on.
    fn shrink<R: Real>(&mut self, cached: &mut Cached<'_, R>) {
        let state = &self.state;
        let mut kept = Vec::new();
        for ends in state.ends.windows(2) {
            let known = state.extremes(ends[0], ends[1]);
            kept.extend((ends[0]..ends[1]).filter(|&i| {
                let up = -state.gradient[i];
                let (rises, falls) = (state.rise[i] == 0.0, state.fall[i] == 0.0);
                (rises && up >= known.bottom) || (falls && up <= known.top)
            }));
        }
        if kept.len() * 4 >= self.active.len() * 3 {
            return;
        }
        let kept: Vec<u32> = kept.into_iter().map(|i| i as u32).collect();
        self.active = kept.iter().map(|&i| self.active[i as usize]).collect();
        self.gather();
        cached.restrict(&kept, &self.rows());
        self.shrunk = true;
    }
}
