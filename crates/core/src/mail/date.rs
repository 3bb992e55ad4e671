//! When a message came: the date that the last server put on it, or else the one that it says itself.

use super::header::{Block, unfold};
use super::limits::Limits;

const MONTHS: [&[u8]; 12] =
    [b"jan", b"feb", b"mar", b"apr", b"may", b"jun", b"jul", b"aug", b"sep", b"oct", b"nov", b"dec"];

/// Seconds since 1970 of the first `Received` that has a date, or of `Date`; None where neither can be read.
///
/// The first `Received` is the last server's, the reader's own: no sender can forge it.
pub fn arrival(message: &[u8], limits: &Limits) -> Option<i64> {
    let block = Block::read(message, 0, limits.header_bytes, |_| false);
    let named = |name: &'static [u8]| {
        block
            .fields
            .iter()
            .filter(move |field| field.name.eq_ignore_ascii_case(name))
            .map(|field| unfold(field.value))
    };
    let received = named(b"received").find_map(|value| {
        let at = memchr::memrchr(b';', &value)?;
        seconds(&value[at + 1..])
    });
    received.or_else(|| named(b"date").find_map(|value| seconds(&value)))
}

/// `[day-name,] day month year hour:minute[:second] [zone]` (RFC 5322, section 3.3) in seconds since 1970.
fn seconds(text: &[u8]) -> Option<i64> {
    let mut words = text
        .split(|byte| byte.is_ascii_whitespace() || *byte == b',')
        .filter(|word| !word.is_empty() && !word.iter().all(u8::is_ascii_alphabetic) || month(word).is_some())
        .take(6);
    let day = number(words.next()?, 2)?;
    let month = month(words.next()?)?;
    let year = match number(words.next()?, 4)? {
        year @ 0..=49 => year + 2000,
        year @ 50..=999 => year + 1900,
        year => year,
    };
    let mut clock = words.next()?.split(|byte| *byte == b':');
    let (hour, minute) = (number(clock.next()?, 2)?, number(clock.next()?, 2)?);
    let second = clock.next().map_or(Some(0), |second| number(second, 2))?;
    let valid =
        (1..=31).contains(&day) && hour < 24 && minute < 60 && second <= 60 && (1970..=9999).contains(&year);
    let zone = words.next().map_or(0, zone);
    valid.then(|| ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second - zone * 60)
}

fn number(word: &[u8], most: usize) -> Option<i64> {
    if word.is_empty() || word.len() > most || !word.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(word.iter().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0')))
}

/// The month that a word names, from 0.
fn month(word: &[u8]) -> Option<i64> {
    let start = word.get(..3)?.to_ascii_lowercase();
    (word.len() <= 9).then_some(())?;
    MONTHS.iter().zip(0..).find(|(name, _)| **name == start).map(|(_, month)| month)
}

/// Minutes east of Greenwich that `+hhmm` says; a name of a zone says nothing.
fn zone(word: &[u8]) -> i64 {
    let (sign, rest) = match word {
        [b'+', rest @ ..] => (1, rest),
        [b'-', rest @ ..] => (-1, rest),
        _ => return 0,
    };
    if rest.len() != 4 {
        return 0;
    }
    let known = number(rest, 4)
        .map(|hhmm| (hhmm / 100, hhmm % 100))
        .filter(|(hours, minutes)| *hours < 24 && *minutes < 60);
    known.map_or(0, |(hours, minutes)| sign * (hours * 60 + minutes))
}

/// Days from 1970 to a date of the Gregorian calendar: years begin in March, so that the leap day is their last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month < 2 { (year - 1, month + 10) } else { (year, month - 2) };
    let (era, of_era) = (year / 400, year % 400);
    let of_year = (153 * month + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(message: &str) -> Option<i64> {
        arrival(message.as_bytes(), &Limits::default())
    }

    #[test]
    fn dates_are_seconds_since_1970() {
        for (text, expected) in [
            ("Thu, 1 Jan 1970 00:00:00 +0000", Some(0)),
            ("Mon, 2 Apr 2007 10:00:00 -0400", Some(1_175_522_400)),
            ("29 Feb 2000 23:59 +0900", Some(951_836_340)),
            ("Sun, 8 Apr 2007 21:00:48 EDT (added)", Some(1_176_066_048)),
            ("Tue, 01 Mar 05 12:00:00 GMT", Some(1_109_678_400)),
            ("yesterday", None),
            ("", None),
            ("32 Jan 2007 10:00:00 +0000", None),
            ("1 Jan 99999 10:00:00", None),
            ("1 Jan 2007 99:00:00", None),
        ] {
            assert_eq!(seconds(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn the_first_received_counts_before_what_the_message_says() {
        let date = "Date: Thu, 1 Jan 1970 00:00:00 +0000\n";
        assert_eq!(of(&format!("{date}\nbody")), Some(0));
        let received =
            "Received: from a by b;\n\tMon, 2 Apr 2007 10:00:00 -0400\nReceived: x; 3 Apr 2008 1:00:00\n";
        assert_eq!(of(&format!("{received}{date}\n")), Some(1_175_522_400));
        assert_eq!(of("Received: none here\nDate: never\n\nx"), None);
        assert_eq!(of(""), None);
    }
}
