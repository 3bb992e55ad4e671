//! Loops over parts of work that the threads of the pool share, compiled once.
//!
//! Rayon's own are compiled for each closure, whose body they hold several times over, and for each type that it takes
//! and returns: of loops over rows, which are written once and compiled for every type of values and indices, that was
//! a quarter of the library. What a part does is called by its address here, and what it takes and returns is handed
//! over by a place of its own, which costs some tens of nanoseconds a part.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

/// So many things of some nanoseconds each are worth handing to a thread together.
pub const TOGETHER: usize = 1 << 12;

/// So many parts are enough for all threads, of things that may take long.
pub const MOST_PARTS: usize = 256;

/// Pieces of work for each thread, at least, where there are so many parts: they are not of equal length.
const PIECES: usize = 8;

/// Lets `of` do each of 0 … count − 1.
pub fn run(count: usize, of: &(dyn Fn(usize) + Sync)) {
    let most = (count / (PIECES * rayon::current_num_threads())).max(1);
    (0..count).into_par_iter().with_max_len(most).for_each(of);
}

/// What `of` makes of each of these, in their order; it is told which it is, from 0 on.
pub fn consume<T: Send, R: Send>(parts: Vec<T>, of: &(dyn Fn(usize, T) -> R + Sync)) -> Vec<R> {
    let places: Vec<Mutex<(Option<T>, Option<R>)>> =
        parts.into_iter().map(|part| Mutex::new((Some(part), None))).collect();
    run(places.len(), &|k| {
        let part = places[k].lock().unwrap_or_else(PoisonError::into_inner).0.take();
        if let Some(part) = part {
            let made = of(k, part);
            places[k].lock().unwrap_or_else(PoisonError::into_inner).1 = Some(made);
        }
    });
    let made =
        |place: Mutex<(Option<T>, Option<R>)>| place.into_inner().unwrap_or_else(PoisonError::into_inner).1;
    places.into_iter().filter_map(made).collect()
}

/// What `of` makes of each of 0 … count − 1, in their order.
pub fn each<R: Send>(count: usize, of: &(dyn Fn(usize) -> R + Sync)) -> Vec<R> {
    consume(vec![(); count], &|k, ()| of(k))
}

/// What `of` makes of each stretch of so many of `items`, in their order.
pub fn each_stretch<T: Sync, R: Send>(
    items: &[T],
    stretch: usize,
    of: &(dyn Fn(&[T]) -> R + Sync),
) -> Vec<R> {
    let stretch = stretch.max(1);
    each(items.len().div_ceil(stretch), &|k| of(&items[k * stretch..items.len().min((k + 1) * stretch)]))
}

/// What `of` makes of each of `items`, in their order, so many of which a thread does one after the other.
pub fn each_of<T: Sync, R: Send>(items: &[T], stretch: usize, of: &(dyn Fn(&T) -> R + Sync)) -> Vec<R> {
    each_stretch(items, stretch, &|items| items.iter().map(of).collect::<Vec<R>>())
        .into_iter()
        .flatten()
        .collect()
}

/// Lets `fill` write each stretch of so many of `out`, and returns what it returned; it is told which it is, from 0 on.
pub fn fill<T: Send, R: Send>(
    out: &mut [T],
    stretch: usize,
    fill: &(dyn Fn(usize, &mut [T]) -> R + Sync),
) -> Vec<R> {
    consume(out.chunks_mut(stretch.max(1)).collect(), fill)
}

/// Work on a stretch of each of two.
type OfBoth<'f, T, U, R> = dyn Fn(usize, &mut [T], &mut [U]) -> R + Sync + 'f;

/// The same for two at once, in stretches of so many of each.
pub fn fill_both<T: Send, U: Send, R: Send>(
    (out, stretch): (&mut [T], usize),
    (other, other_stretch): (&mut [U], usize),
    fill: &OfBoth<'_, T, U, R>,
) -> Vec<R> {
    let both = out.chunks_mut(stretch.max(1)).zip(other.chunks_mut(other_stretch.max(1))).collect();
    consume(both, &|k, (out, other)| fill(k, out, other))
}

/// Memory that threads work with and need not make anew for each part: as many as there are threads at work.
#[derive(Default)]
pub struct Spare<S>(Mutex<Vec<S>>);

impl<S> Spare<S> {
    /// None yet.
    pub const fn new() -> Spare<S> {
        Spare(Mutex::new(Vec::new()))
    }

    /// Lends one to `of`, or what `start` makes where none is left.
    pub fn lend<R>(&self, start: impl FnOnce() -> S, of: impl FnOnce(&mut S) -> R) -> R {
        let spare = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut own = spare.unwrap_or_else(start);
        let made = of(&mut own);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(own);
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_in_their_order_whatever_the_threads() {
        for threads in [1, 3] {
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
                assert_eq!(each(5, &|k| k * k), [0, 1, 4, 9, 16]);
                assert_eq!(each_stretch(&[1, 2, 3, 4, 5], 2, &|part| part.len()), [2, 2, 1]);
                assert_eq!(each_of(&[1, 2, 3, 4, 5], 2, &|k| k + 1), [2, 3, 4, 5, 6]);
                assert_eq!(
                    consume(vec!["a".to_string(), "b".to_string()], &|k, s| format!("{s}{k}")),
                    ["a0", "b1"]
                );
                let mut out = [0; 5];
                fill(&mut out, 2, &|k, out| out.fill(k + 1));
                assert_eq!(out, [1, 1, 2, 2, 3]);
                assert!(each(0, &|k| k).is_empty());
                let spare = Spare::new();
                let before = [0, 5, 6].map(|k| spare.lend(|| k, |own| std::mem::replace(own, k)));
                assert_eq!(before, [0, 0, 5]);
                assert!(fill(&mut [0; 0], 0, &|_, _| 1).is_empty());
                let mut other = [0; 3];
                let sums = fill_both((&mut out, 2), (&mut other, 1), &|k, out, other| {
                    other[0] = k;
                    out.len()
                });
                assert_eq!((sums, other), (vec![2, 2, 1], [0, 1, 2]));
            });
        }
    }
}
