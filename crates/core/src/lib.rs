//! The loops behind Deciban: bytes become tokens, tokens become counts, counts are weighed.
//!
//! This crate knows no Python. `mail` turns a raw message into a [`view::View`], `text` turns a view
//! into tokens and counts, `score` weighs tokens. Nothing here is unsafe, nothing here panics on input.
#![forbid(unsafe_code)]

mod ablation;
#[cfg(feature = "ablation")]
pub use ablation::{Step, left_out};

#[expect(clippy::cast_possible_truncation, reason = "numbers of rows, which `Rows` keeps below 2^32")]
pub mod columns;
pub mod digest;
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts from 0 below the size of a table"
)]
pub mod doubt;
pub mod halt;
pub mod intake;
#[expect(
    clippy::cast_possible_truncation,
    reason = "numbers of rows and columns, which `Rows` keeps below 2^32; floats, where these are precise enough"
)]
pub mod kernel;
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "a table becomes a CSR of 32-bit indices only where it has at most 2^31 − 1 values"
)]
pub mod layer;
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "numbers of rows and columns, which `Rows` keeps below 2^32; whole numbers in doubles, bounded before"
)]
pub mod learn;
pub mod loss;
pub mod mail;
pub mod maildir;
pub mod narrow;
#[expect(
    clippy::needless_range_loop,
    clippy::manual_memcpy,
    reason = "what iterators call is compiled for any processor where nothing is optimised across units of code"
)]
pub mod network;
mod panels;
pub mod parallel;
pub mod penalty;
pub mod products;
pub mod rows;
pub mod score;
#[expect(
    clippy::cast_possible_truncation,
    reason = "numbers of rows and columns, which `Rows` keeps below 2^32; floats, where these are precise enough"
)]
pub mod solve;
pub mod source;
pub mod svmlight;
pub mod temperature;
pub mod text;
#[expect(
    clippy::manual_memcpy,
    reason = "what iterators call is compiled for any processor where nothing is optimised across units of code"
)]
mod vectors;
pub mod view;
