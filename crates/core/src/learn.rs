//! Learning by counting: the sufficient statistics of labelled rows, one pass over what is stored.
//!
//! Everything here runs on the current pool of threads, and gives the same bits on any number of them.

mod blocks;
pub mod categories;
pub mod central;
mod chain;
mod columns;
mod contingency;
mod dense_moments;
pub mod densities;
mod double_double;
pub mod exact;
pub mod gaussian;
pub mod information;
pub mod labels;
pub mod largest;
pub mod lengths;
mod levels;
pub mod logarithms;
pub mod moments;
mod odd;
pub mod outer;
pub mod powers;
pub mod repeats;
mod scale;
mod slices;
pub mod student;
pub mod sums;
pub mod support;
