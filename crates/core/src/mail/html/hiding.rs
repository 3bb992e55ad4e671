//! Which text a page hides: by its display, its size, or by giving it the colour of what it stands on.

use super::color::{BLACK, Color, WHITE, color, merges};
use super::tag::{Name, Tag};
use crate::ablation::{Step, without};

/// Elements deeper than this take over the look of the deepest.
const MAX_DEPTH: usize = 64;

/// How an element looks.
#[derive(Clone, Copy, Debug)]
struct Look {
    /// Text colour, if known.
    ink: Option<Color>,
    /// What the text stands on, if known.
    paper: Option<Color>,
    /// Not displayed, and nothing inside it can be.
    gone: bool,
    /// Invisible; what is inside may be visible again.
    invisible: bool,
    /// Too small to be read; what is inside may be larger again.
    tiny: bool,
}

impl Look {
    fn hides(&self) -> bool {
        let merged = matches!((self.ink, self.paper), (Some(ink), Some(paper)) if merges(ink, paper));
        self.gone || self.invisible || self.tiny || merged
    }
}

/// The look of every open element.
#[derive(Debug)]
pub(super) struct Hiding {
    open: Vec<(Name, Look)>,
    /// Open elements beyond the depth that is followed.
    beyond: usize,
    look: Look,
    page: Look,
    hides: bool,
}

impl Default for Hiding {
    fn default() -> Self {
        let page = Look { ink: Some(BLACK), paper: Some(WHITE), gone: false, invisible: false, tiny: false };
        Hiding { open: Vec::new(), beyond: 0, look: page, page, hides: false }
    }
}

impl Hiding {
    /// Whether text is hidden here.
    pub(super) fn hides(&self) -> bool {
        self.hides && !without(Step::HiddenText)
    }

    /// Takes in a start tag.
    pub(super) fn start_of(&mut self, tag: &Tag) {
        if tag.name.is_void() {
            return;
        }
        self.end_implied(&tag.name);
        if self.open.len() == MAX_DEPTH {
            self.beyond += 1;
            return;
        }
        self.look = restyled(self.look, tag);
        self.open.push((tag.name, self.look));
        self.hides = self.look.hides();
    }

    /// Takes in an end tag; one that nothing started is passed over.
    pub(super) fn end_of(&mut self, name: &Name) {
        if self.beyond > 0 {
            self.beyond -= 1;
            return;
        }
        if let Some(place) = self.open.iter().rposition(|(open, _)| open == name) {
            self.cut(place);
        }
    }

    fn cut(&mut self, depth: usize) {
        self.open.truncate(depth);
        self.look = self.open.last().map_or(self.page, |(_, look)| *look);
        self.hides = self.look.hides();
    }

    /// Ends what pages leave open: a cell at the next cell, a paragraph at the next paragraph.
    fn end_implied(&mut self, name: &Name) {
        let scope: &[&[u8]] = match name.bytes() {
            b"td" | b"th" => &[b"tr", b"table"],
            b"tr" => &[b"table"],
            b"li" => &[b"ul", b"ol"],
            b"dt" | b"dd" => &[b"dl"],
            b"option" => &[b"select"],
            b"p" => &[b"td", b"th", b"div", b"li", b"table"],
            _ => return,
        };
        for place in (0..self.open.len()).rev() {
            let open = &self.open[place].0;
            if open == name {
                return self.cut(place);
            }
            if scope.contains(&open.bytes()) {
                return;
            }
        }
    }
}

/// How the element of `tag` looks inside one of look `outer`.
fn restyled(outer: Look, tag: &Tag) -> Look {
    let mut look = outer;
    if tag.styled_elsewhere {
        look.paper = None;
    }
    if let Some(text) = tag.color {
        look.ink = color(text);
    }
    if let Some(text) = tag.background {
        look.paper = color(text);
    }
    look.gone |= tag.hidden;
    if let Some(style) = tag.style {
        for declaration in style.split(';') {
            if let Some((property, value)) = declaration.split_once(':') {
                declare(&mut look, property.trim(), value.trim());
            }
        }
    }
    look
}

/// Applies one declaration of a style.
fn declare(look: &mut Look, property: &str, value: &str) {
    let value = value.split('!').next().unwrap_or_default().trim();
    let is = |name: &str| property.eq_ignore_ascii_case(name);
    let says = |word: &str| value.eq_ignore_ascii_case(word);
    if is("display") {
        look.gone |= says("none");
    } else if is("mso-hide") {
        look.gone |= says("all");
    } else if is("visibility") {
        look.invisible = says("hidden") || says("collapse");
    } else if is("opacity") {
        look.gone |= value.parse() == Ok(0.0);
    } else if is("width") || is("height") || is("max-width") || is("max-height") {
        look.gone |= is_tiny(value, 0.0);
    } else if is("font-size") {
        look.tiny = is_tiny(value, 1.0);
    } else if is("color") {
        look.ink = color(value);
    } else if is("background-color") {
        look.paper = color(value);
    } else if is("background") {
        look.paper = value.split_ascii_whitespace().find_map(color);
    }
}

/// Whether a length is at most `most` pixels or points.
fn is_tiny(value: &str, most: f32) -> bool {
    let end =
        value.find(|character: char| !character.is_ascii_digit() && character != '.').unwrap_or(value.len());
    let (number, unit) = value.split_at(end);
    let is_dots = ["", "px", "pt"].iter().any(|known| unit.trim().eq_ignore_ascii_case(known));
    number.parse::<f32>().is_ok_and(|number| number == 0.0 || (is_dots && number <= most))
}
