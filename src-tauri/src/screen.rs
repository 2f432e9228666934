//! Takes a picture of the whole screen: through the portal on Wayland, where nothing else may look, and directly on
//! X11. Each has its time, and a refusal is a refusal: no second way is tried.

use std::io::Cursor;
use std::time::Duration;

use image::{GenericImage as _, ImageFormat, RgbaImage};
use outtray_core::problem::{Code, Problem, Result};
use tokio::time::timeout;

use crate::desktop;

/// How long X11 may take; a 4K screen takes a third of a second.
const DIRECT: Duration = Duration::from_secs(10);
/// How long the portal may take: it may ask the person once.
const PORTAL: Duration = Duration::from_secs(30);
/// Larger than any desktop; a display that claims more is broken.
const MOST_PIXELS: u32 = 16_384;

/// Returns the whole screen as a PNG; several screens become one picture, as they stand.
///
/// # Errors
/// `Capture`, in words.
pub(crate) async fn grab() -> Result<Vec<u8>> {
    let picture =
        if desktop::is_wayland() { by_portal().await? } else { off_thread(DIRECT, directly).await? };
    off_thread(DIRECT, move || encode(&picture)).await
}

/// Runs `work` where it may block, for so long.
async fn off_thread<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    match timeout(limit, tokio::task::spawn_blocking(work)).await {
        Ok(Ok(result)) => result,
        Ok(Err(error)) => Err(cannot().because(error)),
        Err(_) => Err(cannot().because("the display did not answer in time")),
    }
}

/// Takes every screen and puts them side by side.
fn directly() -> Result<RgbaImage> {
    let screens = screenshots::Screen::all().map_err(|error| cannot().because(error.to_string()))?;
    let mut pictures = Vec::new();
    for screen in screens {
        let taken = screen.capture().map_err(|error| cannot().because(error.to_string()))?;
        let (width, height) = taken.dimensions();
        let picture = RgbaImage::from_raw(width, height, taken.into_raw()).ok_or_else(cannot)?;
        pictures.push(((screen.display_info.x, screen.display_info.y), picture));
    }
    stitch(pictures).ok_or_else(cannot)
}

/// One picture of several, each at its place; black where there is no screen. Nothing if there are none, or a place is
/// beyond belief.
fn stitch(mut pictures: Vec<((i32, i32), RgbaImage)>) -> Option<RgbaImage> {
    if pictures.len() == 1 {
        return pictures.pop().map(|(_, picture)| picture);
    }
    let left = pictures.iter().map(|((x, _), _)| *x).min()?;
    let top = pictures.iter().map(|((_, y), _)| *y).min()?;
    let place = |(x, y): (i32, i32)| {
        Some((u32::try_from(x.checked_sub(left)?).ok()?, u32::try_from(y.checked_sub(top)?).ok()?))
    };
    let (mut width, mut height) = (0, 0);
    for (at, picture) in &pictures {
        let (x, y) = place(*at)?;
        width = width.max(x.checked_add(picture.width())?);
        height = height.max(y.checked_add(picture.height())?);
    }
    if width > MOST_PIXELS || height > MOST_PIXELS {
        return None;
    }
    let mut whole = RgbaImage::from_pixel(width, height, image::Rgba([0, 0, 0, 255]));
    for (at, picture) in &pictures {
        let (x, y) = place(*at)?;
        whole.copy_from(picture, x, y).ok()?;
    }
    Some(whole)
}

fn encode(picture: &RgbaImage) -> Result<Vec<u8>> {
    let mut png = Cursor::new(Vec::new());
    picture.write_to(&mut png, ImageFormat::Png).map_err(|error| cannot().because(error))?;
    Ok(png.into_inner())
}

#[cfg(not(target_os = "linux"))]
async fn by_portal() -> Result<RgbaImage> {
    Err(cannot())
}

/// Asks the portal. Its file is read and erased at once, whatever it holds.
#[cfg(target_os = "linux")]
async fn by_portal() -> Result<RgbaImage> {
    let answer =
        timeout(PORTAL, ask_portal()).await.map_err(|_| cannot().because("the portal did not answer"))??;
    let path = url::Url::parse(&answer)
        .ok()
        .filter(|address| address.scheme() == "file")
        .and_then(|address| address.to_file_path().ok())
        .ok_or_else(|| cannot().because("the portal's answer names no file"))?;
    off_thread(DIRECT, move || {
        let read = image::ImageReader::open(&path).and_then(|reader| reader.with_guessed_format());
        let picture = read.map_err(|error| cannot().because(error)).and_then(|mut reader| {
            let mut limits = image::Limits::default();
            limits.max_image_width = Some(MOST_PIXELS);
            limits.max_image_height = Some(MOST_PIXELS);
            reader.limits(limits);
            reader.decode().map_err(|error| cannot().because(error))
        });
        if let Err(error) = std::fs::remove_file(&path) {
            tracing::warn!(%error, "the portal's picture could not be erased");
        }
        Ok(picture?.into_rgba8())
    })
    .await
}

#[cfg(target_os = "linux")]
async fn ask_portal() -> Result<String> {
    use ashpd::desktop::ResponseError;
    use ashpd::desktop::screenshot::Screenshot;
    use ashpd::{Error, WindowIdentifier};

    // Our windows are hidden by now, so there is none to name; but some portals refuse a request that names none.
    let nobody = WindowIdentifier::from_xid(1);
    let asked = Screenshot::request().identifier(nobody).interactive(false).modal(true).send().await;
    match asked.and_then(|request| request.response()) {
        Ok(taken) => Ok(taken.uri().as_str().to_owned()),
        Err(Error::Response(ResponseError::Cancelled)) => {
            Err(Problem::new(Code::Capture, "The screen was not captured: the desktop did not allow it.")
                .hint("Allow Outtray to take screenshots in the desktop’s settings."))
        }
        Err(error) => Err(cannot().because(error)),
    }
}

fn cannot() -> Problem {
    Problem::new(Code::Capture, "The screen cannot be captured here.")
        .hint("Attach a picture taken with the desktop’s own tool.")
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::*;

    fn plain(width: u32, height: u32, shade: u8) -> RgbaImage {
        RgbaImage::from_pixel(width, height, image::Rgba([shade, shade, shade, 255]))
    }

    #[test]
    fn screens_stand_in_the_picture_as_they_stand_on_the_desk() {
        let whole = stitch(vec![((0, 0), plain(4, 3, 10)), ((-2, 1), plain(2, 4, 20))]).expect("a picture");
        assert_eq!(whole.dimensions(), (6, 5));
        assert_eq!(whole.get_pixel(2, 0).0[0], 10);
        assert_eq!(whole.get_pixel(0, 1).0[0], 20);
        assert_eq!(whole.get_pixel(0, 0).0, [0, 0, 0, 255], "where no screen is, it is black");
        assert_eq!(stitch(vec![((1920, 0), plain(2, 2, 1))]).expect("one screen").dimensions(), (2, 2));
    }

    #[test]
    fn screens_at_unbelievable_places_are_refused() {
        assert!(stitch(vec![]).is_none());
        assert!(stitch(vec![((i32::MIN, 0), plain(1, 1, 1)), ((i32::MAX, 0), plain(1, 1, 1))]).is_none());
        assert!(stitch(vec![((0, 0), plain(1, 1, 1)), ((20_000, 0), plain(1, 1, 1))]).is_none());
    }

    #[test]
    fn the_picture_holds_nothing_but_pixels() {
        let png = encode(&plain(3, 2, 7)).expect("a PNG");
        let mut chunks = Vec::new();
        let mut rest = &png[8..];
        while rest.len() >= 12 {
            let length = u32::from_be_bytes(rest[..4].try_into().expect("four bytes")) as usize;
            chunks.push(String::from_utf8_lossy(&rest[4..8]).into_owned());
            rest = &rest[12 + length..];
        }
        chunks.dedup();
        assert_eq!(chunks, ["IHDR", "IDAT", "IEND"]);
    }
}
