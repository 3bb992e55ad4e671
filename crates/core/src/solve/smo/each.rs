//! Many problems about the same rows, side by side.

use super::super::{Ending, Limits, Watch};
use super::finish::{Finished, finish};
use super::{Found, Machine, Room, Source, solve};
use crate::halt;
use crate::kernel::{Known, Real, block};
use crate::narrow::narrow;
use crate::parallel::each;
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

/// When each of the problems ends, by how large it is.
#[derive(Clone, Copy)]
pub struct Ends {
    /// Of most.
    pub limits: Limits,
    /// Bytes for each of those that are solved at once.
    pub bytes: usize,
    /// Those of at most so many rows are finished exactly, after so many rounds at most.
    pub small: usize,
    /// Their rounds.
    pub rounds: usize,
    /// Those of more rows end after so many rows of the kernel.
    pub large: usize,
    /// Their rows of the kernel.
    pub most: usize,
}

impl Ends {
    /// The same for all.
    pub fn new(limits: Limits, bytes: usize) -> Ends {
        Ends { limits, bytes, small: 0, rounds: 0, large: usize::MAX, most: usize::MAX }
    }
}

/// The optimum of each problem, each on one thread of its own, so that no number of threads changes a bit; half of the
/// bytes are for what `part` makes of its rows, and `square` makes the Gram matrix of few.
pub fn solve_each<R: Real, S: Source<R>>(
    part: impl Fn(Vec<u32>, usize) -> S + Sync,
    square: impl Fn(&[u32]) -> Vec<f64> + Sync,
    tasks: &[Task<'_>],
    ends: Ends,
    watch: &WatchEach<'_>,
) -> Vec<Option<Found>> {
    let halt = halt::current();
    let Ends { limits, bytes, .. } = ends;
    let solved = |(k, task): (usize, &Task<'_>)| {
        let rows = places(task);
        let told = &mut |i, primal, gap| watch(k, i, primal, gap);
        halt::within(halt.clone(), || {
            if rows.len() <= ends.small {
                let few = Limits { max_iter: limits.max_iter.min(ends.rounds), ..limits };
                return exactly::<R>(task, square(&rows), few, limits.max_iter, bytes, told);
            }
            let rows_made = if rows.len() > ends.large { ends.most } else { usize::MAX };
            let room = Room { bytes: bytes / 2, rows: rows_made };
            let mut source = part(rows, bytes / 2);
            solve(&task.machine, &mut source, task.start.to_vec(), limits, room, told)
        })
    };
    each(tasks.len(), &|k| solved((k, &tasks[k])))
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
            halt::within(halt.clone(), || {
                exactly::<R>(task, self.block(task), limits, self.exact_below, bytes, told)
            })
        };
        each(tasks.len(), &|k| solved((k, &tasks[k])))
    }

    /// Of a problem near its optimum, the optimum up to rounding.
    pub fn finish(&self, task: &Task<'_>) -> Finished {
        finish(&task.machine, self.block(task), task.start)
    }

    fn block(&self, task: &Task<'_>) -> Vec<f64> {
        block(self.gram, &places(task))
    }
}

fn places(task: &Task<'_>) -> Vec<u32> {
    task.rows.iter().map(|row| narrow(row.place())).collect()
}

/// What is found of a problem by the Gram matrix k of its rows, finished if it ended by itself or before so many rounds.
fn exactly<R: Real>(
    task: &Task<'_>,
    k: Vec<f64>,
    limits: Limits,
    below: usize,
    bytes: usize,
    watch: &mut Watch<'_>,
) -> Option<Found> {
    let (mut source, room) = (Known::<R>::new(&k), Room::of(bytes));
    let mut found = solve(&task.machine, &mut source, task.start.to_vec(), limits, room, watch)?;
    let cut = found.ending == Ending::Exhausted && found.iterations < below;
    if below > 0 && (cut || found.ending == Ending::Converged) {
        let end = finish(&task.machine, k, &found.beta);
        if end.cut {
            found.ending = Ending::Stopped;
            watch(found.iterations, f64::NAN, f64::NAN); // who asks is told that it is heard
        }
        (found.beta, found.gradient) = (end.beta, end.gradient);
    }
    Some(found)
}
