//! Many problems about the same rows, side by side.

use rayon::prelude::*;

use super::super::Limits;
use super::{Found, Machine, solve};
use crate::halt;
use crate::kernel::{Real, Shared};
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
/// bytes for each of those that are solved at once.
pub fn solve_each<R: Real, const L: usize>(
    shared: &Shared<R, L>,
    tasks: &[Task<'_>],
    limits: Limits,
    bytes: usize,
    watch: &WatchEach<'_>,
) -> Vec<Option<Found>> {
    let halt = halt::current();
    let solved = |(k, task): (usize, &Task<'_>)| {
        let rows = task.rows.iter().map(|row| row.place() as u32).collect();
        let mut source = shared.part(rows, bytes / 2);
        let told = &mut |i, primal, gap| watch(k, i, primal, gap);
        halt::within(halt.clone(), || {
            solve(&task.machine, &mut source, task.start.to_vec(), limits, bytes / 2, told)
        })
    };
    tasks.par_iter().with_max_len(1).enumerate().map(solved).collect()
}
