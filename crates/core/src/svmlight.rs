//! Lines of svmlight, `index:value …`, as they nearly always are: ASCII, blanks between pairs, plain decimal numbers.
//!
//! Floor: reading the bytes once; parsing a number takes some 20 ns.

/// Digits of an index at most.
const LONGEST: usize = 10;

/// Reads the pairs of a text, as they come; None of one in which anything else stands.
pub fn pairs(text: &[u8]) -> Option<(Vec<i64>, Vec<f64>)> {
    let count = text.iter().filter(|byte| **byte == b':').count();
    let (mut indices, mut values) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for pair in text.split(u8::is_ascii_whitespace).filter(|pair| !pair.is_empty()) {
        let colon = pair.iter().take(LONGEST + 1).position(|byte| *byte == b':')?;
        indices.push(whole(&pair[..colon])?);
        values.push(number(&pair[colon + 1..])?);
    }
    Some((indices, values))
}

/// Reads an index without sign and leading zeros.
fn whole(digits: &[u8]) -> Option<i64> {
    let plain = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let leads = digits.len() > 1 && digits[0] == b'0';
    (plain && !leads).then(|| digits.iter().fold(0, |sum, digit| 10 * sum + i64::from(digit - b'0')))
}

/// Reads a decimal number; no words for infinity and for what is no number.
fn number(text: &[u8]) -> Option<f64> {
    let plain = text.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    let text = plain.then(|| str::from_utf8(text).ok())??;
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn plain_pairs_are_read_and_nothing_else_is() {
        assert_eq!(pairs(b" 1:0.5\t20:-1e-3  0:+2.\r\n"), Some((vec![1, 20, 0], vec![0.5, -0.001, 2.0])));
        assert_eq!(pairs(b"  \n"), Some((vec![], vec![])));
        assert_eq!(pairs(b"9999999999:1"), Some((vec![9_999_999_999], vec![1.0])));
        let odd = "qid:1|1:|:1|1|01:1|+1:1|-1:1|1:nan|1:inf|1:1_0|1:1e|1:0x1|1::2|10000000000:1|1: 2|1:2\u{a0}3:4|é:1";
        for odd in odd.split('|') {
            assert_eq!(pairs(odd.as_bytes()), None, "{odd}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(row in prop::collection::vec((0..10_000_000_000_i64, prop::num::f64::NORMAL | prop::num::f64::ZERO), 0..20)) {
            let text: String = row.iter().map(|(j, x)| format!(" {j}:{x:e}")).collect();
            let wanted = row.iter().copied().unzip();
            prop_assert_eq!(pairs(text.as_bytes()), Some(wanted));
        }

        #[test]
        fn no_bytes_are_read_wrongly(text in prop::collection::vec(any::<u8>(), 0..60)) {
            if let Some((indices, values)) = pairs(&text) {
                prop_assert!(indices.len() == values.len() && indices.iter().all(|j| (0..10_000_000_000).contains(j)));
            }
        }
    }
}
