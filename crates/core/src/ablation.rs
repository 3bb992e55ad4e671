//! Steps of reading that a study can leave out one at a time, to measure what each is worth.
//!
//! Not a setting: only the feature `ablation`, which `benchmarks/ablation.py` builds with, and the tests of this crate can
//! leave a step out. Everywhere else [`without`] is the constant `false`, and nothing of it is compiled.

/// Declares the steps, each with its name, so that none is missing from the catalogue.
macro_rules! steps {
    ($($(#[$doc:meta])* $step:ident = $name:literal,)*) => {
        /// A step of reading, which undoes what a sender can write in several ways, or makes a word of it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Step {
            $($(#[$doc])* $step,)*
        }

        #[cfg(any(feature = "ablation", test))]
        impl Step {
            /// The catalogue.
            pub const ALL: &[Step] = &[$(Step::$step,)*];

            /// The name that the study has for it.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Step::$step => $name,)*
                }
            }
        }
    };
}

steps! {
    /// Upper case of ASCII is read as lower case.
    Case = "case",
    /// Full-width, mathematical and other compatibility characters are read as the letters that they stand for.
    Compatibility = "compatibility characters",
    /// Cyrillic and Greek letters within Latin words are read as the Latin letters that they look like.
    MixedScripts = "mixed scripts",
    /// Invisible characters within words are passed over.
    Invisible = "invisible characters",
    /// What words respelt with digits and signs are read as is added, where there are many.
    Respelt = "respelt words",
    /// Parts of a message are read one by one.
    Parts = "parts",
    /// base64 and quoted-printable are decoded.
    Transfer = "transfer encodings",
    /// Encoded words in headers are decoded.
    EncodedWords = "encoded words",
    /// Text is read in the charset that is declared or detected; without, in UTF-8 or else Windows-1252.
    Charsets = "charsets",
    /// HTML is read as a page; without, its source as text.
    Pages = "HTML",
    /// Character references in HTML are resolved.
    References = "character references",
    /// Tags and comments that show nothing do not end a word.
    TornWords = "words torn by tags",
    /// Text that a page hides is passed over.
    HiddenText = "hidden text",
    /// Of a page that says what the plain text beside it says only the links are read.
    Alternatives = "alternative parts",
    /// Headers of filters and mailboxes are passed over.
    Foreign = "headers of filters",
    /// Remarks about the form of a message are words.
    Remarks = "remarks about the form",
    /// Whole addresses of senders are words.
    Addresses = "addresses",
    /// Whole identities of messages are words.
    Threads = "identities of messages",
    /// What the receiving server found when it checked the sender is words.
    Authentication = "authentication results",
    /// The passages of the content are heard, one of which is enough; without, the content as a whole.
    Passages = "passages",
}

#[cfg(any(feature = "ablation", test))]
mod left_out {
    use super::Step;
    use std::cell::Cell;

    /// The environment variable that names the step that is left out.
    const VARIABLE: &str = "DECIBAN_WITHOUT";

    std::thread_local! {
        pub(super) static LEFT_OUT: Cell<Option<Step>> = Cell::new(named());
    }

    fn named() -> Option<Step> {
        let name = std::env::var(VARIABLE).ok()?;
        Step::ALL.iter().copied().find(|step| step.name() == name)
    }

    /// The step that is left out on this thread.
    pub fn left_out() -> Option<Step> {
        LEFT_OUT.get()
    }
}

#[cfg(any(feature = "ablation", test))]
pub use left_out::left_out;

/// Whether this step is left out.
#[cfg(any(feature = "ablation", test))]
pub(crate) fn without(step: Step) -> bool {
    left_out() == Some(step)
}

/// Whether this step is left out: none is.
#[cfg(not(any(feature = "ablation", test)))]
#[inline(always)]
pub(crate) const fn without(_: Step) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::Step;
    use super::left_out::LEFT_OUT;
    use crate::mail::Limits;
    use crate::text::hash::Key;
    use crate::text::reader::{Kind, Reader};
    use crate::text::token::Tokenizer;

    /// The words of a message, each with the passages that it is in, with a step left out or none.
    fn words(message: &str, step: Option<Step>) -> Vec<String> {
        LEFT_OUT.set(step);
        let tokenizer = Tokenizer::of_words(Key::new(0), 1, 1);
        let reader = Reader { kind: Kind::Mail, tokenizer, limits: Limits::default() };
        let set = reader.word_set(message.as_bytes());
        LEFT_OUT.set(None);
        let starts = std::iter::once(&0).chain(&set.ends);
        let names = starts.zip(&set.ends).map(|(&start, &end)| &set.names[start..end]);
        names.zip(&set.passages).map(|(name, bits)| format!("{name} {bits:b}")).collect()
    }

    /// A message, and a word that it has only with the step, or only without.
    fn example(step: Step) -> (&'static str, &'static str) {
        match step {
            Step::Case => ("\n\nLunch", "lunch 1"),
            Step::Compatibility => ("\n\nｌｕｎｃｈ", "lunch 1"),
            Step::MixedScripts => ("\n\nlun\u{441}h", "lunch 1"),
            Step::Invisible => ("\n\nlun\u{200B}ch", "lunch 1"),
            Step::Respelt => ("\n\nm33t f0r lunch 4t n00n, f1ne f00d", "meet 1"),
            Step::Parts => {
                let text = "Content-Type: multipart/mixed; boundary=b\n\n\
                            --b\nContent-Transfer-Encoding: base64\n\nbHVuY2g=\n--b--";
                (text, "lunch 1")
            }
            Step::Transfer => ("Content-Transfer-Encoding: base64\n\nbHVuY2g=", "lunch 1"),
            Step::EncodedWords => ("Subject: =?utf-8?B?bHVuY2g=?=\n\n", "subject:lunch 1"),
            Step::Charsets => ("Content-Type: text/plain; charset=utf-7\n\nlun+AGM-h", "lunch 1"),
            Step::Pages => ("Content-Type: text/html\n\n<i>lunch", "i 1"),
            Step::References => ("Content-Type: text/html\n\nl&#117;nch", "lunch 1"),
            Step::TornWords => ("Content-Type: text/html\n\nlun<!-- -->ch", "lunch 1"),
            Step::HiddenText => ("Content-Type: text/html\n\n<p style='display:none'>lunch", "lunch 1"),
            Step::Alternatives => {
                let text = "Content-Type: multipart/alternative; boundary=b\n\n--b\n\na b c\n\
                            --b\nContent-Type: text/html\n\na b c lunch\n--b--";
                (text, "lunch 1")
            }
            Step::Foreign => ("X-Spam-Status: Yes\nSubject: lunch\n\n", "header:x-spam-status 0"),
            Step::Remarks => ("Subject: LUNCH\n\n", "shape:subject-all-caps 1"),
            Step::Addresses => ("From: ann@example.org\n\n", "address:ann@example.org 0"),
            Step::Threads => ("In-Reply-To: <1@example.org>\n\n", "thread:1@example.org 0"),
            Step::Authentication => {
                ("Authentication-Results: mx.example.org; spf=pass\n\n", "auth:spf=pass 0")
            }
            Step::Passages => {
                let text = "\n\na a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a \
                            a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a lunch";
                (text, "lunch 10")
            }
        }
    }

    #[test]
    fn every_step_changes_the_words_that_it_is_for() {
        for &step in Step::ALL {
            let (message, word) = example(step);
            let has = |words: Vec<String>| words.iter().any(|each| each == word);
            let (with, left_out) = (words(message, None), words(message, Some(step)));
            assert_ne!(has(with.clone()), has(left_out.clone()), "{step:?}: {with:?}, {left_out:?}");
        }
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<&str> = Step::ALL.iter().map(|step| step.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Step::ALL.len());
    }
}
