//! What the bytes of an attachment are, told by the bytes and not by the name; and small pictures of them.
//!
//! Pictures come from anywhere, so they are hostile until they prove to be decent: three formats, a bound on width and
//! height, a bound on memory, and a wall around the decoder. What does not pass travels as a plain file.

use std::fs::File;
use std::io::{BufReader, Cursor};
use std::panic::catch_unwind;

use image::{DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits};

/// The widest and highest picture that is shown, in pixels.
const WIDEST: u32 = 16_384;
/// The most memory a decoder may take, in bytes.
const MEMORY: u64 = 256 * 1024 * 1024;
/// The largest thumbnail, in pixels.
const LARGEST_FIT: u32 = 4_096;

/// What bytes turn out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A picture that can be shown.
    Picture { format: Format, width: u32, height: u32 },
    /// A real picture, but larger than is good for anybody to decode.
    TooLarge(Format),
    /// Anything else.
    Plain,
}

/// The formats of pictures that trackers and windows show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Png,
    Jpeg,
    WebP,
}

impl Format {
    pub(super) const fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::WebP => "image/webp",
        }
    }

    pub(super) const fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::WebP => "webp",
        }
    }

    const fn of(format: ImageFormat) -> Option<Self> {
        match format {
            ImageFormat::Png => Some(Self::Png),
            ImageFormat::Jpeg => Some(Self::Jpeg),
            ImageFormat::WebP => Some(Self::WebP),
            _ => None,
        }
    }
}

/// Tells what an open file holds, from its header.
pub(super) fn sniff(file: &File) -> Kind {
    let Some((reader, format)) = reader(file) else { return Kind::Plain };
    let header = walled(|| {
        let decoder = reader.into_decoder()?;
        Ok((decoder.dimensions(), decoder.total_bytes()))
    });
    match header {
        Some(Ok(((width, height), bytes))) if width > 0 && height > 0 => {
            if bytes <= MEMORY {
                Kind::Picture { format, width, height }
            } else {
                Kind::TooLarge(format)
            }
        }
        Some(Err(ImageError::Limits(_))) => Kind::TooLarge(format),
        _ => Kind::Plain,
    }
}

/// Returns a PNG of the picture in an open file that fits `fit` × `fit` pixels, upright; nothing when it is no picture.
pub(super) fn thumbnail(file: &File, fit: u32) -> Option<Vec<u8>> {
    let (reader, _) = reader(file)?;
    let fit = fit.clamp(1, LARGEST_FIT);
    walled(|| {
        let mut decoder = reader.into_decoder()?;
        // The buffer for the whole picture is ours to make, so the decoder's own limit does not know of it.
        if decoder.total_bytes() > MEMORY {
            return Ok(None);
        }
        let orientation = decoder.orientation()?;
        let picture = DynamicImage::from_decoder(decoder)?;
        let mut small = if picture.width() <= fit && picture.height() <= fit {
            picture
        } else {
            picture.thumbnail(fit, fit)
        };
        small.apply_orientation(orientation);
        let mut png = Cursor::new(Vec::new());
        small.to_rgba8().write_to(&mut png, ImageFormat::Png)?;
        Ok(Some(png.into_inner()))
    })?
    .ok()?
}

/// A reader with its limits set, for one of the three formats.
fn reader(file: &File) -> Option<(ImageReader<BufReader<&File>>, Format)> {
    let mut reader = ImageReader::new(BufReader::new(file)).with_guessed_format().ok()?;
    let format = Format::of(reader.format()?)?;
    let mut limits = Limits::default();
    limits.max_image_width = Some(WIDEST);
    limits.max_image_height = Some(WIDEST);
    limits.max_alloc = Some(MEMORY);
    reader.limits(limits);
    Some((reader, format))
}

/// Runs a decoder behind a wall: a fault in it costs a picture, never the process.
fn walled<T>(decode: impl FnOnce() -> Result<T, ImageError>) -> Option<Result<T, ImageError>> {
    // What the decoder leaves half done is dropped with it, so nothing broken can be seen afterwards.
    catch_unwind(std::panic::AssertUnwindSafe(decode)).ok()
}

/// The media type a name stands for when the bytes are no picture. The three picture formats are left out on purpose:
/// bytes that are none of them must not pass for one.
pub(super) fn media_type_by_extension(extension: &str) -> &'static str {
    match extension {
        "txt" | "log" | "conf" | "ini" | "patch" | "diff" => "text/plain",
        "md" => "text/markdown",
        "csv" => "text/csv",
        "htm" | "html" => "text/html",
        "json" | "har" => "application/json",
        "xml" => "application/xml",
        "yaml" | "yml" => "application/yaml",
        "toml" => "application/toml",
        "pdf" => "application/pdf",
        "zip" => "application/zip",
        "gz" | "tgz" => "application/gzip",
        "gif" => "image/gif",
        "svg" => "image/svg+xml",
        "bmp" => "image/bmp",
        "avif" => "image/avif",
        "mp4" => "video/mp4",
        "webm" => "video/webm",
        "mp3" => "audio/mpeg",
        "wav" => "audio/wav",
        _ => "application/octet-stream",
    }
}
