//! Rows of which only some features are stored, by their places: those that occur rarely first.

use super::Real;

/// Rows, their features in an order that is their own.
pub struct Stored<R> {
    /// Row i from `ends[i]` to before `ends[i + 1]`.
    ends: Vec<usize>,
    /// Where the frequent features of each row begin.
    turns: Vec<usize>,
    /// Features, falling in each row.
    places: Vec<u32>,
    values: Vec<R>,
}

/// Features and values of a row, or of a part of it.
pub(super) type Part<'a, R> = (&'a [u32], &'a [R]);

impl<R: Real> Stored<R> {
    /// No row.
    pub fn new() -> Self {
        Stored { ends: vec![0], turns: Vec::new(), places: Vec::new(), values: Vec::new() }
    }

    /// One more row, of features that are put in order, twice the same as their sum; those at places before `frequent`
    /// are frequent. Returns Σ x².
    pub fn push(&mut self, row: &mut Vec<(u32, R)>, frequent: usize) -> R {
        row.sort_unstable_by_key(|&(place, _)| std::cmp::Reverse(place));
        row.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = kept.1.times(R::of(1.0), next.1);
            }
            same
        });
        let rare = row.partition_point(|&(place, _)| place as usize >= frequent);
        self.turns.push(self.places.len() + rare);
        self.places.extend(row.iter().map(|&(place, _)| place));
        self.values.extend(row.iter().map(|&(_, value)| value));
        self.ends.push(self.places.len());
        row.iter().fold(R::default(), |sum, &(_, x)| x.times(x, sum))
    }

    /// How many rows.
    pub fn count(&self) -> usize {
        self.turns.len()
    }

    /// How many values.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// How many of them are of frequent features.
    pub fn frequent_values(&self) -> usize {
        self.ends[1..].iter().zip(&self.turns).map(|(end, turn)| end - turn).sum()
    }

    fn part(&self, from: usize, to: usize) -> Part<'_, R> {
        (&self.places[from..to], &self.values[from..to])
    }

    /// All of row i.
    #[inline(always)]
    pub fn row(&self, i: usize) -> Part<'_, R> {
        self.part(self.ends[i], self.ends[i + 1])
    }

    /// What is rare of row i.
    #[inline(always)]
    pub fn rare(&self, i: usize) -> Part<'_, R> {
        self.part(self.ends[i], self.turns[i])
    }

    /// What is frequent of row i.
    #[inline(always)]
    pub fn frequent(&self, i: usize) -> Part<'_, R> {
        self.part(self.turns[i], self.ends[i + 1])
    }

    /// Only the rows at these places.
    pub fn take(&self, which: &[u32]) -> Self {
        let mut taken = Stored::new();
        for i in which.iter().map(|&i| i as usize) {
            taken.turns.push(taken.places.len() + self.turns[i] - self.ends[i]);
            let (places, values) = self.row(i);
            taken.places.extend_from_slice(places);
            taken.values.extend_from_slice(values);
            taken.ends.push(taken.places.len());
        }
        taken
    }
}
