//! Loops over parts of work that the threads of the pool share, compiled once for each type of result.
//!
//! Rayon's own are compiled for each closure, whose body they hold several times over: of loops over rows, which are
//! written once and compiled for every type of values and indices, that was a quarter of the library. What a part does
//! is called by its address here, which costs some nanoseconds a part.

use rayon::prelude::*;

/// What `of` makes of each of 0 … count − 1, in their order.
pub fn each<R: Send>(count: usize, of: &(dyn Fn(usize) -> R + Sync)) -> Vec<R> {
    (0..count).into_par_iter().map(of).collect()
}

/// What `of` makes of each stretch of so many of `items`, in their order.
pub fn each_stretch<T: Sync, R: Send>(
    items: &[T],
    stretch: usize,
    of: &(dyn Fn(&[T]) -> R + Sync),
) -> Vec<R> {
    items.par_chunks(stretch.max(1)).map(of).collect()
}

/// Lets `fill` write each stretch of so many of `out`; it is told which it is, from 0 on.
pub fn fill<T: Send>(out: &mut [T], stretch: usize, fill: &(dyn Fn(usize, &mut [T]) + Sync)) {
    out.par_chunks_mut(stretch.max(1)).enumerate().for_each(|(k, out)| fill(k, out));
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
                let mut out = [0; 5];
                fill(&mut out, 2, &|k, out| out.fill(k + 1));
                assert_eq!(out, [1, 1, 2, 2, 3]);
                assert!(each(0, &|k| k).is_empty());
                fill(&mut [0; 0], 0, &|_, _| unreachable!());
            });
        }
    }
}
