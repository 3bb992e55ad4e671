//! Sets of words in few bytes: numbers ascend, and most words of the content are in one passage.
//!
//! A set is how many words it has, and of each by how much its number exceeds the last one, in groups of 7 bits with the
//! low ones first; then the passages: 0 to 15 for the one it is in, 16 for none, and else 17 and 16 bits.

const NONE: u8 = 16;
const SEVERAL: u8 = 17;

/// Appends a set of distinct numbers, ascending, with their passages.
pub fn pack(set: &[(u32, u16)], out: &mut Vec<u8>) {
    number(u32::try_from(set.len()).expect("sets of less than 2^32 words"), out);
    let mut last = 0;
    for &(word, passages) in set {
        number(word - last, out);
        last = word;
        match passages {
            0 => out.push(NONE),
            _ if passages.is_power_of_two() => out.push(passages.trailing_zeros().to_le_bytes()[0]),
            _ => {
                out.push(SEVERAL);
                out.extend(passages.to_le_bytes());
            }
        }
    }
}

/// The set that begins these bytes.
pub fn unpack(bytes: &[u8]) -> impl Iterator<Item = (u32, u16)> {
    let mut at = 0;
    let count = read(bytes, &mut at);
    let mut word = 0;
    (0..count).map(move |_| {
        word += read(bytes, &mut at);
        at += 1;
        let passages = match bytes[at - 1] {
            NONE => 0,
            SEVERAL => {
                at += 2;
                u16::from_le_bytes([bytes[at - 2], bytes[at - 1]])
            }
            place => 1 << place,
        };
        (word, passages)
    })
}

fn number(mut number: u32, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

#[inline(always)]
fn read(bytes: &[u8], at: &mut usize) -> u32 {
    let (mut number, mut shift) = (0, 0);
    loop {
        let byte = bytes[*at];
        *at += 1;
        number |= u32::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            return number;
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked() {
        let sets: [&[(u32, u16)]; 3] =
            [&[], &[(0, 0), (1, 1), (129, 1 << 15), (u32::MAX, 0b101)], &[(u32::MAX, u16::MAX)]];
        let (mut bytes, mut starts) = (Vec::new(), Vec::new());
        for set in sets {
            starts.push(bytes.len());
            pack(set, &mut bytes);
        }
        for (set, start) in sets.iter().zip(starts) {
            assert_eq!(unpack(&bytes[start..]).collect::<Vec<_>>(), *set);
        }
    }
}
