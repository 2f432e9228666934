//! Names of attachments: what a person's file is called, made fit to travel.

use outtray_core::capture::{clean_name, unique_name};

#[test]
fn a_plain_name_stays_as_it_is() {
    for name in [
        "shot.png",
        "Bildschirmfoto 2025-03-01.png",
        "снимок.webp",
        "截图.png",
        "trace (2).log",
        "🦀 crab.jpg",
    ] {
        assert_eq!(clean_name(name), name);
    }
}

#[test]
fn a_name_is_one_line_without_separators_or_quotes() {
    assert_eq!(clean_name("one\ntwo\r\n three.png"), "one two three.png");
    assert_eq!(clean_name("a/b\\c.png"), "a-b-c.png");
    assert_eq!(clean_name("say \"hi\" 'now'.png"), "say ”hi” ’now’.png");
    assert_eq!(clean_name("nul\0bell\u{7}.png"), "nulbell.png");
}

#[test]
fn a_name_never_climbs_or_hides() {
    assert_eq!(clean_name("../../etc/passwd"), "-..-etc-passwd");
    assert_eq!(clean_name(".bashrc"), "bashrc");
    for name in ["", ".", "..", "...", "   ", "\n", "\u{202e}"] {
        assert_eq!(clean_name(name), "attachment", "of {name:?}");
    }
}

#[test]
fn a_name_cannot_turn_its_own_direction() {
    assert_eq!(clean_name("invoice\u{202e}gnp.exe"), "invoicegnp.exe");
    assert_eq!(
        clean_name("\u{2067}\u{200f}دليل\u{2069}.pdf"),
        "دليل.pdf",
        "right-to-left letters themselves stay"
    );
}

#[test]
fn a_long_name_is_cut_and_keeps_its_extension() {
    let name = clean_name(&format!("{}.png", "x".repeat(300)));
    assert_eq!(name.chars().count(), 120);
    assert!(name.ends_with("x.png"));
    // A disk counts bytes: 120 of these would not fit in a directory entry.
    let name = clean_name(&format!("{}.png", "🦀".repeat(300)));
    assert!(name.len() <= 200 && name.ends_with("🦀.png"), "{name}");
}

#[test]
fn cleaning_twice_changes_nothing_more() {
    let hard =
        ["a. ", " .b", "x .png", "\"\".png", &"é ".repeat(200), "..png", "a\u{200d}.png", &".".repeat(400)];
    for name in hard {
        let once = clean_name(name);
        assert_eq!(clean_name(&once), once, "of {name:?}");
        assert!(!once.is_empty() && once.chars().count() <= 120);
    }
}

#[test]
fn a_second_file_of_the_same_name_gets_a_number() {
    let mut taken = Vec::new();
    for expected in ["shot.png", "shot 2.png", "shot 3.png"] {
        let name = unique_name(&taken, "shot.png");
        assert_eq!(name, expected);
        taken.push(name);
    }
    assert_eq!(unique_name(&taken, "SHOT.png"), "SHOT 4.png", "to some disks the two are one");
    assert_eq!(unique_name(&["notes".to_owned()], "notes"), "notes 2");
}

#[test]
fn a_long_name_has_room_for_its_number() {
    let long = clean_name(&format!("{}.png", "x".repeat(300)));
    let second = unique_name(std::slice::from_ref(&long), &long);
    assert_ne!(second, long);
    assert!(second.ends_with("x 2.png") && second.chars().count() <= 120, "{second}");
}
