//! Rows that slices do not hold, or not all of: their products are added one by one.

use super::exact::Exact;

/// A value of such a row.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Its column.
    pub place: u32,
    /// x.
    pub x: f64,
    /// w x in two doubles.
    pub left: [f64; 2],
    /// What the slices of x, and of w x, leave.
    pub right_rest: f64,
    pub left_rest: [f64; 2],
}

impl Entry {
    /// x in a column, of which nothing is left.
    pub fn of(place: u32, x: f64) -> Entry {
        Entry { place, x, left: [x, 0.0], right_rest: 0.0, left_rest: [0.0; 2] }
    }
}

/// Where a row ends, and its weight if no slices hold anything of it.
struct Row {
    end: usize,
    whole: Option<f64>,
}

/// Such rows.
#[derive(Default)]
pub struct Odd {
    entries: Vec<Entry>,
    rows: Vec<Row>,
}

impl Odd {
    /// One more row, its entries by columns; `whole` is its weight if all of it is to be added.
    pub fn push(&mut self, entries: Vec<Entry>, whole: Option<f64>) {
        self.entries.extend(entries);
        self.rows.push(Row { end: self.entries.len(), whole });
    }

    /// And the rows of another.
    pub fn append(&mut self, other: Odd) {
        let before = self.entries.len();
        self.entries.extend(other.entries);
        self.rows.extend(other.rows.into_iter().map(|row| Row { end: before + row.end, ..row }));
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// + what is missing of Σ w x_j x_k, for each k ≤ j.
    #[inline(always)]
    pub fn add_line(&self, j: usize, line: &mut [Exact]) {
        let mut start = 0;
        for row in &self.rows {
            let entries = &self.entries[start..row.end];
            start = row.end;
            let at = match entries.get(j) {
                Some(entry) if entry.place as usize == j => Ok(j),
                _ => entries.binary_search_by_key(&(j as u32), |entry| entry.place),
            };
            let Ok(at) = at else { continue };
            match row.whole {
                Some(w) => add_whole(w, &entries[..=at], line),
                None => add_rests(&entries[..=at], line),
            }
        }
    }
}

/// All products of the last entry.
#[inline(always)]
fn add_whole(w: f64, entries: &[Entry], line: &mut [Exact]) {
    let own = entries[entries.len() - 1].x;
    for other in entries {
        let into = &mut line[other.place as usize];
        match w == 1.0 {
            true => into.add_product(own, other.x),
            false => into.add_products(&[w, own, other.x]),
        }
    }
}

/// What the slices leave of the products of the last entry: r_j x_k + (w x_j − r_j) r′_k.
#[inline(always)]
fn add_rests(entries: &[Entry], line: &mut [Exact]) {
    let own = entries[entries.len() - 1];
    for part in own.left_rest {
        if part == 0.0 {
            continue;
        }
        for other in entries {
            line[other.place as usize].add_product(part, other.x);
        }
    }
    let held = [own.left[0], own.left[1], -own.left_rest[0], -own.left_rest[1]];
    for other in entries {
        if other.right_rest == 0.0 {
            continue;
        }
        let into = &mut line[other.place as usize];
        for h in held {
            into.add_product(h, other.right_rest);
        }
    }
}
