//! Text: characters become words, words become keyed hashes, hashes become counts.
mod ascii;
pub mod char_grams;
pub mod character;
pub mod corpus;
pub mod count;
pub mod hash;
pub mod names;
mod packed;
pub mod parts;
pub mod passages;
pub mod reader;
pub mod segment;
pub mod slots;
pub mod table;
pub mod tally;
pub mod token;
pub mod word_sets;
pub mod wordbook;
