//! Pictures for the windows: `picture://localhost/ID`, or `?fit=N` for a thumbnail. By number only, so that no path is
//! ever taken from a window.

use std::borrow::Cow;

use outtray_core::Engine;
use tauri::http::{Request, Response, StatusCode, header};
use tauri::{AppHandle, Manager as _, Runtime, UriSchemeResponder};

/// The scheme's name.
pub(crate) const SCHEME: &str = "picture";

/// Thumbnails are not asked for larger than this.
const MOST_PIXELS: u32 = 2048;

/// What a window may show as a picture. An attachment can be any file, and none is to be run as a page.
const SHOWN: [&str; 4] = ["image/png", "image/jpeg", "image/webp", "image/gif"];

/// Answers one request, off the main thread.
pub(crate) fn answer<R: Runtime>(
    app: &AppHandle<R>,
    request: &Request<Vec<u8>>,
    responder: UriSchemeResponder,
) {
    let engine = app.try_state::<Engine>().map(|engine| engine.inner().clone());
    let wanted = wanted(request.uri().path(), request.uri().query());
    tauri::async_runtime::spawn_blocking(move || {
        let picture = engine.zip(wanted).and_then(|(engine, (id, fit))| {
            engine
                .picture(id, fit)
                .inspect_err(|problem| tracing::debug!(id, problem = problem.chain(), "no picture"))
                .ok()
        });
        responder.respond(response(picture));
    });
}

/// Which attachment, and how large a thumbnail.
fn wanted(path: &str, query: Option<&str>) -> Option<(i64, Option<u32>)> {
    let id = path.strip_prefix('/')?.parse::<u32>().ok()?.into();
    let fit = match query.unwrap_or_default() {
        "" => None,
        query => Some(
            query.strip_prefix("fit=")?.parse::<u32>().ok().filter(|fit| (1..=MOST_PIXELS).contains(fit))?,
        ),
    };
    Some((id, fit))
}

fn response(picture: Option<(Vec<u8>, String)>) -> Response<Cow<'static, [u8]>> {
    let shown = picture.and_then(|(bytes, media)| {
        SHOWN.into_iter().find(|known| *known == media).map(|media| (bytes, media))
    });
    let mut response = Response::new(Cow::Borrowed(&[][..]));
    match shown {
        Some((bytes, media)) => {
            response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static(media));
            *response.body_mut() = Cow::Owned(bytes);
        }
        None => *response.status_mut() = StatusCode::NOT_FOUND,
    }
    // Nothing of a picture stays in the webview's cache on disk.
    response.headers_mut().insert(header::CACHE_CONTROL, header::HeaderValue::from_static("no-store"));
    response
        .headers_mut()
        .insert(header::X_CONTENT_TYPE_OPTIONS, header::HeaderValue::from_static("nosniff"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_asked_for_by_number_only() {
        assert_eq!(wanted("/12", None), Some((12, None)));
        assert_eq!(wanted("/12", Some("fit=192")), Some((12, Some(192))));
        for (path, query) in [
            ("/../../etc/passwd", None),
            ("/%2e%2e/x", None),
            ("/12/3", None),
            ("/-1", None),
            ("/", None),
            ("12", None),
            ("/99999999999999999999", None),
            ("/12", Some("fit=0")),
            ("/12", Some("fit=100000")),
            ("/12", Some("fit=")),
            ("/12", Some("path=/etc/passwd")),
        ] {
            assert_eq!(wanted(path, query), None, "{path} {query:?}");
        }
    }

    #[test]
    fn what_is_no_picture_is_not_shown() {
        let page = response(Some((b"<script>".to_vec(), "text/html".to_owned())));
        assert_eq!((page.status(), page.body().len()), (StatusCode::NOT_FOUND, 0));
        let drawing = response(Some((b"<svg>".to_vec(), "image/svg+xml".to_owned())));
        assert_eq!(drawing.status(), StatusCode::NOT_FOUND);
        let picture = response(Some((vec![1, 2], "image/png".to_owned())));
        assert_eq!((picture.status(), picture.body().len()), (StatusCode::OK, 2));
    }
}
