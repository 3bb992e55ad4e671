//! What a reader sees of an item: one text, where each stretch of it came from, and remarks about its form.

/// Where a stretch of text came from. Its prefix goes in front of every word found there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Field {
    /// Running text: the whole of a plain text, the readable parts of a message.
    Body,
    /// Subject.
    Subject,
    /// From, Reply-To, Sender.
    From,
    /// To, Cc, Bcc.
    To,
    /// Return-Path and envelope sender.
    Return,
    /// Received.
    Received,
    /// Every other header's value, and the names of all headers.
    Header,
    /// Headers of a MIME part: types, charsets, transfer encodings.
    Mime,
    /// Links, wherever they stand.
    Url,
    /// Names of attachments.
    File,
    /// Remarks about the form of the item ("html only", "nesting limit reached"); never in the text itself.
    Shape,
    /// Whole addresses in From, Reply-To and Sender: the correspondent.
    Address,
    /// Whole identities in Message-ID, In-Reply-To and References: a message, and what replies to it.
    Thread,
    /// What the receiving server found when it checked the sender, and the domains that passed.
    Auth,
}

impl Field {
    /// Every field, in order.
    pub const ALL: [Field; 14] = [
        Field::Body,
        Field::Subject,
        Field::From,
        Field::To,
        Field::Return,
        Field::Received,
        Field::Header,
        Field::Mime,
        Field::Url,
        Field::File,
        Field::Shape,
        Field::Address,
        Field::Thread,
        Field::Auth,
    ];

    /// The field of a token with this name: no word holds a colon.
    pub fn of_name(name: &str) -> Field {
        let prefix = name.find(':').map_or("", |at| &name[..=at]);
        Field::ALL.into_iter().find(|field| field.prefix() == prefix).unwrap_or(Field::Body)
    }

    /// Which of the two experts of a message hears it: 1 how it came, from whom to whom; 0 what it says.
    pub const fn expert(self) -> u8 {
        let of_headers =
            matches!(self, Field::From | Field::To | Field::Return | Field::Received | Field::Header);
        (of_headers || matches!(self, Field::Address | Field::Thread | Field::Auth)) as u8
    }

    /// Whether a stretch of this field is one word, whatever stands in it.
    pub const fn is_whole(self) -> bool {
        matches!(self, Field::Shape | Field::Address | Field::Thread | Field::Auth)
    }

    /// What stands before a word of this field in its token: `subject:` for `Subject`, nothing for `Body`.
    pub const fn prefix(self) -> &'static str {
        match self {
            Field::Body => "",
            Field::Subject => "subject:",
            Field::From => "from:",
            Field::To => "to:",
            Field::Return => "return:",
            Field::Received => "received:",
            Field::Header => "header:",
            Field::Mime => "mime:",
            Field::Url => "url:",
            Field::File => "file:",
            Field::Shape => "shape:",
            Field::Address => "address:",
            Field::Thread => "thread:",
            Field::Auth => "auth:",
        }
    }
}

/// A stretch of a view's text, `start..end` in bytes, on character boundaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Where the text came from.
    pub field: Field,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// One item as a reader sees it. Spans do not overlap and stand in order; text outside every span
/// (labels such as "Subject: ", line ends) is there for people only and yields no tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The readable text.
    pub text: String,
    /// Which stretches of it carry evidence.
    pub spans: Vec<Span>,
    /// Remarks about the form of the item, each one token of [`Field::Shape`]: "html-only", "limit-nesting".
    pub shapes: Vec<String>,
}

impl View {
    /// Empties the view and keeps its memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.spans.clear();
        self.shapes.clear();
    }

    /// Appends `text` as a span of `field`; nothing happens for empty text.
    pub fn push(&mut self, field: Field, text: &str) {
        let start = self.text.len();
        self.text.push_str(text);
        self.close(field, start);
    }

    /// Makes a span of everything appended to `text` since `start`; nothing happens if that is empty.
    pub fn close(&mut self, field: Field, start: usize) {
        let end = self.text.len();
        if end > start {
            self.spans.push(Span { field, start, end });
        }
    }
}
