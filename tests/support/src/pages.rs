//! Pages for people: the list of issues, an issue with its pictures. Plain, and everything in them is escaped.

use crate::state::{Asset, Issue, State, written};
use crate::wire::Answer;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem;\
    color:#1f2328;background:#fff}h1{font-size:1.4rem}pre{white-space:pre-wrap;background:#f4f5f7;padding:1rem;\
    border-radius:8px}img{max-width:100%;border:1px solid #d0d4da;border-radius:8px}small,.quiet{color:#5c636c}\
    li{margin:.4rem 0}@media(prefers-color-scheme:dark){body{color:#e6e8eb;background:#16181b}pre{background:#22252a}\
    img{border-color:#3a3f46}small,.quiet{color:#9aa1ab}a{color:#8ab4f8}}";

/// Answers a path outside the API.
pub(crate) fn answer(state: &State, parts: &[&str], root: &str) -> Answer {
    let (owner, name) = (state.project.owner.as_str(), state.project.name.as_str());
    match parts {
        ["attachments", uuid] => picture(state, uuid),
        [at_owner, at_name, "issues"] if (*at_owner, *at_name) == (owner, name) => list(state, root),
        [at_owner, at_name, "issues", number] if (*at_owner, *at_name) == (owner, name) => {
            let found = number.parse().ok().and_then(|number| state.issue(number));
            found.map_or_else(nothing, |issue| one(state, issue, root))
        }
        [] | [""] => Answer::html(302, "").with("Location", format!("{root}/{owner}/{name}/issues")),
        _ => nothing(),
    }
}

fn list(state: &State, root: &str) -> Answer {
    let project = format!("{}/{}", state.project.owner, state.project.name);
    let rows: String = state
        .issues
        .iter()
        .rev()
        .map(|issue| {
            format!(
                "<li><a href=\"{}/{}/issues/{}\">#{} {}</a> <small>{} · {} attached</small></li>",
                escape(root),
                escape(&project),
                issue.number,
                issue.number,
                escape(&issue.title),
                written(issue.created_ms),
                issue.assets.len()
            )
        })
        .collect();
    let rows = if rows.is_empty() {
        "<p class=\"quiet\">No issues yet.</p>".to_owned()
    } else {
        format!("<ul>{rows}</ul>")
    };
    page(&format!("Issues · {project}"), &rows)
}

fn one(state: &State, issue: &Issue, root: &str) -> Answer {
    let project = format!("{}/{}", state.project.owner, state.project.name);
    let assets: String = issue.assets.iter().map(|asset| attached(asset, root)).collect();
    let text = format!(
        "<p class=\"quiet\">#{} in <a href=\"{}/{}/issues\">{}</a> · by {} · {}</p><pre>{}</pre>{assets}",
        issue.number,
        escape(root),
        escape(&project),
        escape(&project),
        escape(&issue.login),
        written(issue.created_ms),
        escape(&issue.body)
    );
    page(&issue.title, &text)
}

fn attached(asset: &Asset, root: &str) -> String {
    let (name, address) = (escape(&asset.name), format!("{}/attachments/{}", escape(root), asset.uuid));
    if is_picture(asset) {
        format!(
            "<figure><img src=\"{address}\" alt=\"{name}\"><figcaption><small>{name}</small></figcaption></figure>"
        )
    } else {
        format!("<p><a href=\"{address}\">{name}</a> <small>{} bytes</small></p>", asset.bytes.len())
    }
}

fn picture(state: &State, uuid: &str) -> Answer {
    let Some(asset) = state.issues.iter().flat_map(|issue| &issue.assets).find(|asset| asset.uuid == uuid)
    else {
        return nothing();
    };
    let kind =
        if is_picture(asset) { asset.media_type.clone() } else { "application/octet-stream".to_owned() };
    Answer { status: 200, headers: vec![("Content-Type", kind)], body: asset.bytes.clone() }
        .with("X-Content-Type-Options", "nosniff")
}

/// What a browser may show in place; anything else is only ever downloaded.
fn is_picture(asset: &Asset) -> bool {
    matches!(asset.media_type.as_str(), "image/png" | "image/jpeg" | "image/webp" | "image/gif")
}

fn nothing() -> Answer {
    let mut answer = page("Not found", "<p>There is nothing here.</p>");
    answer.status = 404;
    answer
}

fn page(title: &str, body: &str) -> Answer {
    let title = escape(title);
    Answer::html(
        200,
        &format!(
            "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{title}</title><style>{STYLE}</style>\
             <h1>{title}</h1>{body}</html>"
        ),
    )
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}
