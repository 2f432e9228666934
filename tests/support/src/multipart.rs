//! Forms with files, read as strictly as they should be written.

/// One part of a form.
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) file_name: Option<String>,
    pub(crate) media_type: Option<String>,
    pub(crate) bytes: Vec<u8>,
}

/// Reads a form's parts; nothing when it is not a form, or cut.
pub(crate) fn parts(content_type: &str, body: &[u8]) -> Option<Vec<Part>> {
    let (kind, parameters) = content_type.split_once(';')?;
    if !kind.trim().eq_ignore_ascii_case("multipart/form-data") {
        return None;
    }
    let boundary =
        parameters.split(';').find_map(|part| part.trim().strip_prefix("boundary="))?.trim_matches('"');
    let opening = format!("--{boundary}");
    let between = format!("\r\n--{boundary}");
    let mut rest = body.strip_prefix(opening.as_bytes())?;
    let mut parts = Vec::new();
    loop {
        if rest.starts_with(b"--") {
            return Some(parts);
        }
        rest = rest.strip_prefix(b"\r\n")?;
        let head_end = find(rest, b"\r\n\r\n")?;
        let end = find(rest, between.as_bytes())?;
        parts.push(part(&rest[..head_end], rest.get(head_end + 4..end)?)?);
        rest = &rest[end + between.len()..];
    }
}

fn part(head: &[u8], bytes: &[u8]) -> Option<Part> {
    let head = std::str::from_utf8(head).ok()?;
    let mut part = Part { name: String::new(), file_name: None, media_type: None, bytes: bytes.to_vec() };
    for line in head.split("\r\n") {
        let (name, value) = line.split_once(':')?;
        match name.trim().to_ascii_lowercase().as_str() {
            "content-type" => part.media_type = Some(value.trim().to_owned()),
            "content-disposition" => {
                for parameter in value.split(';').skip(1) {
                    let (name, value) = parameter.trim().split_once('=')?;
                    let value = value.trim_matches('"').to_owned();
                    match name {
                        "name" => part.name = value,
                        "filename" => part.file_name = Some(value),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    Some(part)
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}
