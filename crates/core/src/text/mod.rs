//! Text: characters become words, words become keyed hashes, hashes become counts.
mod ascii;
pub mod character;
pub mod count;
pub mod hash;
pub mod reader;
pub mod table;
pub mod token;
pub mod wordbook;
