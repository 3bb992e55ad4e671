//! The loops behind Deciban: bytes become tokens, tokens become counts, counts are weighed.
//!
//! This crate knows no Python. `mail` turns a raw message into a [`view::View`], `text` turns a view
//! into tokens and counts, `score` weighs tokens. Nothing here is unsafe, nothing here panics on input.
#![forbid(unsafe_code)]

pub mod columns;
pub mod digest;
pub mod doubt;
pub mod intake;
pub mod kernel;
pub mod layer;
pub mod learn;
pub mod loss;
pub mod mail;
pub mod penalty;
pub mod products;
pub mod rows;
pub mod score;
pub mod solve;
pub mod source;
pub mod text;
pub mod view;
