//! Many short strings in one allocation.

/// Many short strings in one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    text: String,
    ends: Vec<usize>,
}

impl Names {
    /// From the texts one after the other and where each ends; none if the ends do not fit the text.
    pub fn from_parts(text: String, ends: Vec<usize>) -> Option<Names> {
        let in_order = ends.windows(2).all(|pair| pair[0] <= pair[1]);
        let fit = ends.last().copied().unwrap_or(0) == text.len()
            && ends.iter().all(|&end| text.is_char_boundary(end));
        (in_order && fit).then_some(Names { text, ends })
    }

    /// Appends a name.
    #[inline]
    pub fn push(&mut self, name: &str) {
        self.push_with(|text| text.push_str(name));
    }

    /// Appends a name as it is appended to a text.
    #[inline]
    pub fn push_with(&mut self, append: impl FnOnce(&mut String)) {
        append(&mut self.text);
        self.ends.push(self.text.len());
    }

    /// All of these, one after the other.
    pub fn joined(parts: &[Names]) -> Names {
        let mut all = Names {
            text: String::with_capacity(parts.iter().map(|part| part.text.len()).sum()),
            ends: Vec::with_capacity(parts.iter().map(Names::len).sum()),
        };
        for part in parts {
            let before = all.text.len();
            all.text.push_str(&part.text);
            all.ends.extend(part.ends.iter().map(|end| before + end));
        }
        all
    }

    /// The i-th name; empty where names are not kept.
    #[inline]
    pub fn get(&self, i: usize) -> &str {
        match self.ends.get(i) {
            Some(&end) => &self.text[if i == 0 { 0 } else { self.ends[i - 1] }..end],
            None => "",
        }
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The text of all, and where each ends.
    pub fn into_parts(self) -> (String, Vec<usize>) {
        (self.text, self.ends)
    }

    /// The names one after the other, and where each ends.
    pub fn parts(&self) -> (&str, &[usize]) {
        (&self.text, &self.ends)
    }
}
