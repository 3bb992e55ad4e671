//! Numbers of things in half the room: what is held many times is held in 32 bits.

/// The same number in 32 bits. What is numbered is bounded where it enters: items and their bytes where Python hands
/// them over, rows and columns in [`crate::rows::Rows`], the words of a text by [`crate::text::token::MOST_BYTES`].
///
/// # Panics
///
/// Rather than return another number.
#[inline(always)]
pub fn narrow(number: usize) -> u32 {
    u32::try_from(number).expect("numbers below 2^32")
}
