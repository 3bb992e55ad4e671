//! Whether a sparse matrix tells a place twice, which matters to whoever asks for more than sums.

use crate::parallel::each;
use crate::rows::{Index, Rows, Value};

/// Whether some row stores two values for the same column. One pass over the indices. Where they do not rise within a
/// row, each thread writes down in d numbers the last row that a column was seen in.
pub fn repeats<V: Value, I: Index>(rows: &Rows<'_, V, I>) -> bool {
    let stretch = rows.count().div_ceil(rayon::current_num_threads()).max(1);
    rows.is_sparse()
        && each(rows.count().div_ceil(stretch), &|part| {
            let (mut last, start) = (Vec::new(), part * stretch);
            (start..rows.count().min(start + stretch)).any(|i| {
                let row = rows.row(i);
                if row.rises() {
                    return false;
                }
                last.resize(rows.columns(), usize::MAX);
                let mut twice = false;
                row.each(|j, _| twice |= std::mem::replace(&mut last[j], i) == i);
                twice
            })
        })
        .contains(&true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(indices: &[i32], indptr: &[i32]) -> bool {
        repeats(&Rows::sparse(&vec![1u8; indices.len()], indices, indptr, 4).unwrap())
    }

    #[test]
    fn a_place_told_twice_is_found_wherever_it_is() {
        assert!(!of(&[], &[0]));
        assert!(!of(&[3, 0, 3, 0], &[0, 2, 4]));
        assert!(of(&[3, 0, 3], &[0, 3]));
        assert!(of(&[1, 2, 3, 3], &[0, 1, 2, 4]));
        assert!(!repeats(&Rows::<u8, i32>::dense(&[1, 1], 1, 2).unwrap()));
    }
}
