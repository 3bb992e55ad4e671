//! Colours, as far as it takes to see that text cannot be seen.

/// Red, green and blue.
pub(super) type Color = [u8; 3];

/// White.
pub(super) const WHITE: Color = [255; 3];
/// Black.
pub(super) const BLACK: Color = [0; 3];

/// Colours this close in every channel cannot be told apart by eye.
const CLOSE: u8 = 8;

/// Whether text of colour `a` cannot be seen on `b`.
pub(super) fn merges(a: Color, b: Color) -> bool {
    a.iter().zip(b).all(|(a, b)| a.abs_diff(b) <= CLOSE)
}

/// The colour that `#fff`, `#ffffff`, `ffffff`, `rgb(255, 255, 255)` or `white` names.
pub(super) fn color(text: &str) -> Option<Color> {
    let text = text.trim();
    if let Some(rgb) = text.get(..4).filter(|start| start.eq_ignore_ascii_case("rgb(")) {
        return channels(&text[rgb.len()..]);
    }
    let digits = text.strip_prefix('#').unwrap_or(text);
    named(text).or_else(|| hex(digits.as_bytes()))
}

fn hex(digits: &[u8]) -> Option<Color> {
    let digit = |at: usize| char::from(digits[at]).to_digit(16).and_then(|value| u8::try_from(value).ok());
    match digits.len() {
        3 => Some([digit(0)? * 17, digit(1)? * 17, digit(2)? * 17]),
        6 => Some([digit(0)? << 4 | digit(1)?, digit(2)? << 4 | digit(3)?, digit(4)? << 4 | digit(5)?]),
        _ => None,
    }
}

fn channels(text: &str) -> Option<Color> {
    let mut numbers = text.split([',', ')', ' ']).filter(|number| !number.is_empty());
    let mut next = || numbers.next()?.parse().ok();
    Some([next()?, next()?, next()?])
}

fn named(name: &str) -> Option<Color> {
    const NAMES: [(&str, Color); 12] = [
        ("white", WHITE),
        ("black", BLACK),
        ("red", [255, 0, 0]),
        ("green", [0, 128, 0]),
        ("blue", [0, 0, 255]),
        ("yellow", [255, 255, 0]),
        ("navy", [0, 0, 128]),
        ("gray", [128; 3]),
        ("silver", [192; 3]),
        ("snow", [255, 250, 250]),
        ("ivory", [255, 255, 240]),
        ("whitesmoke", [245; 3]),
    ];
    NAMES.iter().find(|(known, _)| name.eq_ignore_ascii_case(known)).map(|(_, color)| *color)
}

#[cfg(test)]
mod tests {
    use super::{WHITE, color, merges};

    #[test]
    fn every_spelling_of_white_is_white() {
        for text in ["#fff", "#FFFFFF", "ffffff", "white", "White", "rgb(255, 255,255)", " #ffffff "] {
            assert_eq!(color(text), Some(WHITE), "{text}");
        }
        assert!(merges(WHITE, [0xfe, 0xfd, 0xfc]) && !merges(WHITE, [0xf0; 3]));
        assert_eq!(color("#ff"), None);
        assert_eq!(color("#1é23"), None);
    }
}
