//! Messages that break readers, and what is to be read in them: `goldens/*.eml` with `goldens/*.txt`.
//!
//! After a change that is meant, `UPDATE_GOLDENS=1 cargo test --test mail_goldens` writes the texts anew;
//! read the difference before keeping it.

use deciban_core::mail::{Limits, read, strip};
use deciban_core::view::View;
use std::fs;
use std::path::{Path, PathBuf};

fn goldens() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens");
    let entries = fs::read_dir(&folder).expect("the folder of goldens can be read");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("its entries too").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "eml"));
    paths.sort();
    paths
}

/// One line for every span, line breaks and control characters escaped, and the shapes.
fn rendered(view: &View) -> String {
    let mut out = String::new();
    for span in &view.spans {
        let field = format!("{:?}", span.field).to_lowercase();
        let text: String = view.text[span.start..span.end].chars().map(visible).collect();
        out.push_str(&format!("[{field}] {text}\n"));
    }
    for shape in &view.shapes {
        out.push_str(&format!("[shape] {shape}\n"));
    }
    out
}

fn visible(character: char) -> String {
    let hidden =
        character.is_control() || ('\u{200b}'..='\u{200f}').contains(&character) || character == '\u{a0}';
    if hidden { character.escape_default().to_string() } else { character.to_string() }
}

#[test]
fn every_golden_is_read_as_written_down() {
    let update = std::env::var_os("UPDATE_GOLDENS").is_some();
    let mut wrong = Vec::new();
    let mut view = View::default();
    for path in goldens() {
        let message = fs::read(&path).expect("a golden can be read");
        read(&message, &Limits::default(), &mut view);
        let found = rendered(&view);
        let expected = path.with_extension("txt");
        if update {
            fs::write(&expected, &found).expect("a golden can be written");
        } else if fs::read_to_string(&expected).ok().as_ref() != Some(&found) {
            wrong.push(format!("{}:\n{found}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "not as written down:\n{}", wrong.join("\n"));
}

#[test]
fn there_are_many_goldens_and_each_has_its_text() {
    let paths = goldens();
    assert!(paths.len() >= 40, "only {} goldens", paths.len());
    for path in paths {
        assert!(path.with_extension("txt").exists(), "{} has no text", path.display());
    }
}

#[test]
fn stripping_leaves_the_evidence_of_goldens_alone() {
    let (mut before, mut after) = (View::default(), View::default());
    for path in goldens().iter().filter(|path| !path.ends_with("mbox-envelope.eml")) {
        let message = fs::read(path).expect("a golden can be read");
        read(&message, &Limits::default(), &mut before);
        read(&strip(&message), &Limits::default(), &mut after);
        assert_eq!(before, after, "{}", path.display());
    }
}
