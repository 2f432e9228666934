//! Pictures are told by their bytes, and hostile ones cost nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::cast_possible_truncation)]

use std::io::Cursor;
use std::time::{Duration, Instant};

use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use outtray_core::Code;
use outtray_core::capture::{Files, Kept};
use tempfile::TempDir;

struct Desk {
    _home: TempDir,
    files: Files,
}

impl Desk {
    fn new() -> Self {
        let home = TempDir::new().unwrap();
        let files = Files::open(home.path()).unwrap();
        Self { _home: home, files }
    }

    fn keep(&self, name: &str, bytes: &[u8]) -> Kept {
        self.files.keep(name, bytes).unwrap()
    }
}

fn picture(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let pixels = RgbImage::from_fn(width, height, |x, y| Rgb([x as u8, y as u8, 90]));
    let mut bytes = Cursor::new(Vec::new());
    DynamicImage::from(pixels).write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

/// A PNG of which only the header is true: it says how large it is, and has nothing to show for it.
fn hollow_png(width: u32, height: u32) -> Vec<u8> {
    let mut chunk = b"IHDR".to_vec();
    chunk.extend(width.to_be_bytes());
    chunk.extend(height.to_be_bytes());
    chunk.extend([8, 6, 0, 0, 0]);
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\x0d".to_vec();
    png.extend(&chunk);
    png.extend(checksum(&chunk).to_be_bytes());
    png.extend(b"\0\0\0\0IDAT");
    png.extend(checksum(b"IDAT").to_be_bytes());
    png
}

fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(
            sum ^ u32::from(*byte),
            |sum, _| if sum & 1 == 1 { (sum >> 1) ^ 0xEDB8_8320 } else { sum >> 1 },
        )
    })
}

#[test]
fn a_picture_is_known_by_its_bytes_whatever_it_is_called() {
    let desk = Desk::new();
    let formats = [
        (ImageFormat::Png, "image/png"),
        (ImageFormat::Jpeg, "image/jpeg"),
        (ImageFormat::WebP, "image/webp"),
    ];
    for (format, media_type) in formats {
        let kept = desk.keep("whatever.txt", &picture(40, 30, format));
        assert_eq!((kept.media_type.as_str(), kept.picture), (media_type, Some((40, 30))));
        assert_eq!(kept.name, "whatever.txt", "the name stays the person's");
    }
}

#[test]
fn a_picture_that_is_none_travels_as_a_plain_file() {
    let desk = Desk::new();
    for bytes in [
        b"not a picture".as_slice(),
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff\xe0 jpeg?",
        b"RIFF\0\0\0\0WEBPVP8 ",
    ] {
        let kept = desk.keep("x.png", bytes);
        assert_eq!((kept.media_type.as_str(), kept.picture), ("application/octet-stream", None));
        assert_eq!(desk.files.thumbnail(&kept.file, 64).unwrap_err().code, Code::Invalid);
        assert_eq!(desk.files.bytes(&kept.file).unwrap(), bytes, "and is sent as it is");
    }
}

#[test]
fn other_files_have_the_type_of_their_extension() {
    let desk = Desk::new();
    for (name, media_type) in [
        ("a.gif", "image/gif"),
        ("a.LOG", "text/plain"),
        ("a.json", "application/json"),
        ("a.part", "application/octet-stream"),
        ("a", "application/octet-stream"),
    ] {
        assert_eq!(desk.keep(name, b"GIF89a").media_type, media_type, "of {name}");
    }
}

#[test]
fn a_thumbnail_fits_and_keeps_the_shape() {
    let desk = Desk::new();
    for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP] {
        let kept = desk.keep("wide.png", &picture(400, 100, format));
        let small = image::load_from_memory(&desk.files.thumbnail(&kept.file, 100).unwrap()).unwrap();
        assert_eq!((small.width(), small.height()), (100, 25));
    }
    let kept = desk.keep("tiny.png", &picture(8, 4, ImageFormat::Png));
    let same = image::load_from_memory(&desk.files.thumbnail(&kept.file, 100).unwrap()).unwrap();
    assert_eq!((same.width(), same.height()), (8, 4), "a small picture is not blown up");
    assert!(desk.files.thumbnail(&kept.file, 0).is_ok(), "a size of nothing is the smallest size");
}

#[test]
fn a_thumbnail_tells_nothing_but_the_picture() {
    let desk = Desk::new();
    let mut bytes = picture(64, 64, ImageFormat::Png);
    let text = b"tEXtComment\0CANARY";
    let mut chunk = (text.len() as u32 - 4).to_be_bytes().to_vec();
    chunk.extend(text);
    chunk.extend(checksum(text).to_be_bytes());
    // Right behind the header, which is 33 bytes long; and more behind the end.
    bytes.splice(33..33, chunk);
    bytes.extend(b"CANARY behind the end");
    let kept = desk.keep("x.png", &bytes);
    assert!(kept.picture.is_some());
    let small = desk.files.thumbnail(&kept.file, 32).unwrap();
    assert!(!small.windows(6).any(|window| window == b"CANARY"));
}

#[test]
fn a_picture_beyond_the_bounds_is_not_shown_and_costs_nothing() {
    let desk = Desk::new();
    for (width, height) in
        [(16_385, 1), (1, 16_385), (u32::MAX >> 1, u32::MAX >> 1), (16_384, 16_384), (9_000, 9_000)]
    {
        let started = Instant::now();
        let kept = desk.keep("bomb.png", &hollow_png(width, height));
        assert_eq!(kept.picture, None, "{width} × {height} is more than anybody should decode");
        assert_eq!(desk.files.thumbnail(&kept.file, 64).unwrap_err().code, Code::Invalid);
        assert!(started.elapsed() < Duration::from_secs(1));
    }
    let kept = desk.keep("none.png", &hollow_png(0, 10));
    assert_eq!(kept.picture, None);
}

#[test]
fn broken_pictures_are_refused_and_never_panic() {
    let desk = Desk::new();
    for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP] {
        let whole = picture(60, 60, format);
        for cut in (0..whole.len()).step_by(whole.len() / 40 + 1).skip(1) {
            let kept = desk.keep("cut.png", &whole[..cut]);
            // Some of a cut JPEG can still be shown; what matters is that it is an answer.
            let _answer = desk.files.thumbnail(&kept.file, 32);
        }
        for seed in 0..300_usize {
            let mut hurt = whole.clone();
            for hit in 0..8 {
                let at = (seed * 7919 + hit * 104_729) % hurt.len();
                hurt[at] ^= (seed * 31 + hit * 17 + 1) as u8;
            }
            let kept = desk.keep("hurt.png", &hurt);
            let _answer = desk.files.thumbnail(&kept.file, 32);
        }
    }
}
