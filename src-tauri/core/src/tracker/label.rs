//! Labels by name: what a person wrote, and what a project has.

/// The labels that were asked for, sorted by whether the project has them.
pub(super) struct Found {
    /// As the project writes them, each once.
    pub(super) names: Vec<String>,
    /// As the person wrote them.
    pub(super) unknown: Vec<String>,
}

/// Finds each asked label among the known ones: exactly, else whatever the case.
pub(super) fn match_up(asked: &[String], known: &[String]) -> Found {
    let mut found = Found { names: Vec::new(), unknown: Vec::new() };
    for name in asked {
        let exact = known.iter().find(|known| *known == name);
        let alike = || known.iter().find(|known| known.to_lowercase() == name.to_lowercase());
        match exact.or_else(alike) {
            Some(known) if !found.names.contains(known) => found.names.push(known.clone()),
            Some(_) => {}
            None => found.unknown.push(name.clone()),
        }
    }
    found
}

/// What an issue lacks, given the labels that it has now: trackers drop in silence what an account may not set.
pub(super) fn missing(found: &Found, set: Option<&[String]>) -> Vec<String> {
    let is_dropped = |name: &&String| set.is_some_and(|set| !set.contains(name));
    let dropped = found.names.iter().filter(is_dropped);
    found.unknown.iter().chain(dropped).map(|name| format!("the label “{name}”")).collect()
}
