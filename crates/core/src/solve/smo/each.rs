//! Many problems about the same rows, side by side.

use rayon::prelude::*;

use super::super::{Ending, Limits, Watch};
use super::finish::{Finished, finish};
use super::{Found, Machine, Source, solve};
use crate::halt;
use crate::kernel::{Known, Real, block};
use crate::narrow::narrow;
use crate::rows::Index;

/// One of the problems.
pub struct Task<'a> {
    /// It, but for the kernel.
    pub machine: Machine<'a>,
    /// The places of its rows among those that are shared.
    pub rows: &'a [i64],
    /// A feasible β (m,).
    pub start: &'a [f64],
}

/// Told after every round of a problem: (its number, round, primal, gap); true means stop.
pub type WatchEach<'a> = dyn Fn(usize, usize, f64, f64) -> bool + Sync + 'a;

/// The optimum of each problem, each on one thread of its own, so that no number of threads changes a bit; so many
/// bytes for each of those that are solved at once, half of them for what `part` makes of its rows.
pub fn solve_each<R: Real, S: Source<R>>(
    part: impl Fn(Vec<u32>, usize) -> S + Sync,
    tasks: &[Task<'_>],
    limits: Limits,
    bytes: usize,
    watch: &WatchEach<'_>,
) -> Vec<Option<Found>> {
    let halt = halt::current();
    let solved = |(k, task): (usize, &Task<'_>)| {
        let rows = task.rows.iter().map(|row| row.place() as u32).collect();
        let mut source = part(rows, bytes / 2);
        let told = &mut |i, primal, gap| watch(k, i, primal, gap);
        halt::within(halt.clone(), || {
            solve(&task.machine, &mut source, task.start.to_vec(), limits, bytes / 2, told)
        })
    };
    tasks.par_iter().with_max_len(1).enumerate().map(solved).collect()
}

/// Problems about rows whose Gram matrix (N, N) is known.
pub struct OfGram<'a> {
    /// It, row by row.
    pub gram: &'a [f64],
    /// Which ended for want of rounds, before so many, are finished, too.
    pub exact_below: usize,
}

impl OfGram<'_> {
    /// The optimum of each problem up to rounding: what `solve_each` finds, finished exactly.
    pub fn solve_each<R: Real>(
        &self,
        tasks: &[Task<'_>],
        limits: Limits,
        bytes: usize,
        watch: &WatchEach<'_>,
    ) -> Vec<Option<Found>> {
        let halt = halt::current();
        let solved = |(k, task): (usize, &Task<'_>)| {
            let told = &mut |i, primal, gap| watch(k, i, primal, gap);
            halt::within(halt.clone(), || self.solve::<R>(task, limits, bytes, told))
        };
        tasks.par_iter().with_max_len(1).enumerate().map(solved).collect()
    }

    fn solve<R: Real>(
        &self,
        task: &Task<'_>,
        limits: Limits,
        bytes: usize,
        watch: &mut Watch<'_>,
    ) -> Option<Found> {
        let k = self.block(task);
        let mut source = Known::<R>::new(&k);
        let mut found = solve(&task.machine, &mut source, task.start.to_vec(), limits, bytes, watch)?;
        let cut = found.ending == Ending::Exhausted && found.iterations < self.exact_below;
        if self.exact_below > 0 && (cut || found.ending == Ending::Converged) {
            let end = finish(&task.machine, k, &found.beta);
            if end.cut {
                found.ending = Ending::Stopped;
                watch(found.iterations, f64::NAN, f64::NAN); // who asks is told that it is heard
            }
            (found.beta, found.gradient) = (end.beta, end.gradient);
        }
        Some(found)
    }

    /// Of a problem near its optimum, the optimum up to rounding.
    pub fn finish(&self, task: &Task<'_>) -> Finished {
        finish(&task.machine, self.block(task), task.start)
    }

    fn block(&self, task: &Task<'_>) -> Vec<f64> {
        block(self.gram, &task.rows.iter().map(|row| narrow(row.place())).collect::<Vec<u32>>())
    }
}
