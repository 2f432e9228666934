//! Issue templates as trackers keep them: Markdown below a head in YAML, or a form. A form becomes text: each field is a
//! heading, and what its writer should know stands below it as a comment, which no reader of the issue sees.

use serde_json::Value;

use super::catalogue;
use crate::issue::Template;

/// Fields of a form at most.
const MOST_FIELDS: usize = 100;

/// Reads a file from where templates are; nothing when it is none.
pub(super) fn read(file: &str, text: &str) -> Option<Template> {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let (stem, ending) = file.rsplit_once('.')?;
    match ending.to_ascii_lowercase().as_str() {
        "md" | "markdown" => {
            let (head, body) = front(&text);
            let head = head.and_then(yaml).unwrap_or(Value::Null);
            written(&head, stem, body.to_owned())
        }
        "yml" | "yaml" if stem != "config" => {
            let form = yaml(&text)?;
            let fields = form.get("body")?.as_array()?;
            written(&form, stem, markdown(fields))
        }
        _ => None,
    }
}

/// A template of which everything but its text stands in `head`.
pub(super) fn written(head: &Value, stem: &str, body: String) -> Option<Template> {
    let word = |name: &str| head.get(name).and_then(Value::as_str).map(str::to_owned);
    catalogue::template(Template {
        name: word("name").filter(|name| !name.trim().is_empty()).unwrap_or_else(|| stem.to_owned()),
        about: word("about").or_else(|| word("description")),
        title: word("title").unwrap_or_default(),
        labels: names(head.get("labels")),
        assignees: names(head.get("assignees")),
        body,
    })
}

/// The head between two lines of dashes, and what follows.
fn front(text: &str) -> (Option<&str>, &str) {
    let Some(rest) = text.strip_prefix("---\n") else { return (None, text) };
    match rest.split_once("\n---\n") {
        Some((head, body)) => (Some(head), body),
        None => rest.strip_suffix("\n---").map_or((None, text), |head| (Some(head), "")),
    }
}

fn yaml(text: &str) -> Option<Value> {
    if text.len() > catalogue::LONGEST_TEMPLATE {
        return None;
    }
    // A short text that repeats itself by reference becomes a long one.
    let budget = serde_saphyr::budget! {
        max_documents: 1,
        max_depth: 20,
        max_aliases: 50,
        max_nodes: 5_000,
        max_total_scalar_bytes: 4 * catalogue::LONGEST_TEMPLATE,
    };
    let options = serde_saphyr::options! { budget: budget };
    let read = serde_saphyr::from_str_with_options(text, options);
    read.inspect_err(|_| tracing::info!("a template is not written in YAML that can be read")).ok()
}

/// A list, or one line with commas.
fn names(value: Option<&Value>) -> Vec<String> {
    let of_line = |line: &str| line.split(',').map(|name| name.trim().to_owned()).collect();
    let names: Vec<String> = match value {
        Some(Value::String(line)) => of_line(line),
        Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    names.into_iter().filter(|name| !name.is_empty()).collect()
}

/// The fields of a form as text.
pub(super) fn markdown(fields: &[Value]) -> String {
    let fields: Vec<String> = fields.iter().take(MOST_FIELDS).filter_map(field).collect();
    fields.join("\n\n")
}

fn field(field: &Value) -> Option<String> {
    let attributes = field.get("attributes")?;
    let word = |name: &str| {
        attributes.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
    };
    let kind = field.get("type").and_then(Value::as_str)?;
    if kind == "markdown" {
        return word("value").map(comment);
    }
    let mut parts = vec![format!("### {}", catalogue::line(word("label")?)?)];
    let is_required = field.pointer("/validations/required").and_then(Value::as_bool).unwrap_or_default();
    let options: Vec<&Value> =
        attributes.get("options").and_then(Value::as_array).into_iter().flatten().take(MOST_FIELDS).collect();
    let choices: Vec<&str> = options.iter().filter_map(|option| option.as_str()).collect();
    let is_several = attributes.get("multiple").and_then(Value::as_bool).unwrap_or_default();
    let hints = [
        is_required.then(|| "Required.".to_owned()),
        word("description").map(str::to_owned),
        word("placeholder").map(|text| format!("Such as: {text}")),
        (kind == "dropdown" && !choices.is_empty())
            .then(|| format!("{}: {}", if is_several { "Any of" } else { "One of" }, choices.join(" · "))),
    ];
    let hints: Vec<String> = hints.into_iter().flatten().collect();
    if !hints.is_empty() {
        parts.push(comment(&hints.join("\n")));
    }
    let preset = attributes.get("default").and_then(Value::as_u64).and_then(|at| usize::try_from(at).ok());
    let text = match kind {
        "checkboxes" => Some(boxes(&options)),
        "dropdown" => preset.and_then(|at| choices.get(at)).map(|&choice| choice.to_owned()),
        "textarea" => match word("render") {
            Some(language) => {
                Some(format!("```{}\n{}\n```", catalogue::line(language)?, word("value").unwrap_or_default()))
            }
            None => word("value").map(str::to_owned),
        },
        _ => word("value").map(str::to_owned),
    };
    parts.extend(text.filter(|text| !text.is_empty()));
    Some(parts.join("\n\n"))
}

/// Boxes to tick; one that has to be ticked says so.
fn boxes(options: &[&Value]) -> String {
    let tick = |option: &&Value| {
        let label = catalogue::line(option.get("label")?.as_str()?)?;
        let is_required = option.get("required").and_then(Value::as_bool).unwrap_or_default();
        Some(format!("- [ ] {label}{}", if is_required { " (required)" } else { "" }))
    };
    options.iter().filter_map(tick).collect::<Vec<_>>().join("\n")
}

/// Text that its writer sees and a reader of the issue does not.
fn comment(text: &str) -> String {
    format!("<!-- {} -->", text.replace("--", "- -"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template(file: &str, text: &str) -> Template {
        read(file, text).unwrap_or_else(|| unreachable!("{file} is a template"))
    }

    #[test]
    fn markdown_has_its_head_in_yaml() {
        let text = "---\r\nname: Bug report\r\nabout: Something is broken\r\ntitle: '[bug] '\r\nlabels: bug, needs triage\r\nassignees:\r\n  - ada\r\n---\r\n\r\n**What happened**\r\n\r\n---\r\nend\r\n";
        let found = template("bug.md", text);
        assert_eq!((found.name.as_str(), found.title.as_str()), ("Bug report", "[bug] "));
        assert_eq!(found.about.as_deref(), Some("Something is broken"));
        assert_eq!(
            (found.labels, found.assignees),
            (vec!["bug".into(), "needs triage".into()], vec!["ada".into()])
        );
        assert_eq!(found.body, "**What happened**\n\n---\nend");
        let plain = template("notes.md", "Just text.\n");
        assert_eq!((plain.name.as_str(), plain.body.as_str()), ("notes", "Just text."));
        let unread = template("odd.md", "---\nname: [\n---\nText.");
        assert_eq!((unread.name.as_str(), unread.body.as_str()), ("odd", "Text."), "its text is there");
    }

    #[test]
    fn a_form_becomes_headings_and_what_is_required_is_marked() {
        let form = "name: Bug\ndescription: Broken\ntitle: 'Bug: '\nlabels: [bug]\nassignees: ada, grace\nbody:\n\
            - type: markdown\n  attributes:\n    value: Thanks --> for this!\n\
            - type: input\n  attributes:\n    label: Version\n    placeholder: 1.2.3\n  validations:\n    required: true\n\
            - type: textarea\n  attributes:\n    label: Log\n    render: shell\n\
            - type: textarea\n  attributes:\n    label: Steps\n    value: |\n      1.\n      2.\n\
            - type: dropdown\n  attributes:\n    label: Where\n    options: [Linux, macOS]\n    default: 1\n\
            - type: checkboxes\n  attributes:\n    label: Checks\n    options:\n    - label: I looked for it\n      required: true\n    - label: I can help\n";
        let found = template("bug.yml", form);
        assert_eq!(found.title, "Bug: ");
        assert_eq!(found.assignees, ["ada", "grace"]);
        assert_eq!(
            found.body,
            "<!-- Thanks - -> for this! -->\n\n### Version\n\n<!-- Required.\nSuch as: 1.2.3 -->\n\n### Log\n\n```shell\n\n```\n\n\
             ### Steps\n\n1.\n2.\n\n### Where\n\n<!-- One of: Linux · macOS -->\n\nmacOS\n\n\
             ### Checks\n\n- [ ] I looked for it (required)\n- [ ] I can help"
        );
    }

    #[test]
    fn what_is_no_template_is_left_out() {
        let bomb = format!("a: &a [x]\nbody: [{}]", "*a, ".repeat(10_000));
        for (file, text) in [
            ("config.yml", "blank_issues_enabled: false"),
            ("bug.yml", "name: no body"),
            ("bug.yml", "body: text"),
            ("bug.yml", ": not YAML ["),
            ("picture.png", ""),
            ("README", ""),
            ("bomb.yml", bomb.as_str()),
        ] {
            assert_eq!(read(file, text), None, "{file}: {text:.40}");
        }
        assert_eq!(read("long.md", &"x".repeat(catalogue::LONGEST_TEMPLATE + 1)), None);
    }
}
