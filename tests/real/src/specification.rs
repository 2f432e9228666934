//! A tracker's own description of its API, and whether a request is one that it describes.
//!
//! Stricter than the description: a field or a query that it does not know is wrong, too, because a server would pass over
//! it in silence.

use std::path::Path;

use jsonschema::Draft;
use serde_json::{Map, Value, json};

use crate::need;

/// An OpenAPI document, of the second or third edition.
#[derive(Debug)]
pub struct Specification {
    name: String,
    document: Value,
}

/// What was asked.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// `GET`, `POST`, …
    pub method: &'a str,
    /// Below the API, percent-encoded.
    pub path: &'a str,
    /// After the question mark.
    pub query: &'a str,
    /// The body, where it is JSON.
    pub json: Option<&'a Value>,
}

impl Specification {
    /// Reads one that was brought; nothing where it was not.
    ///
    /// # Panics
    /// When it is no JSON.
    pub fn read(path: &Path) -> Option<Self> {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let text = need(&format!("the specification {name}"), std::fs::read(path).ok())?;
        let document = serde_json::from_slice(&text).unwrap_or_else(|why| unreachable!("{name}: {why}"));
        Some(Self { name, document })
    }

    /// What is wrong with a request, a sentence each.
    pub fn wrong(&self, asked: Asked<'_>) -> Vec<String> {
        let what = format!("{}: {} {}?{}", self.name, asked.method, asked.path, asked.query);
        let Some(operation) = self.operation(asked) else { return vec![format!("{what}: not described")] };
        let mut wrong = self.wrong_query(operation, asked);
        wrong.extend(self.wrong_body(operation, asked));
        wrong.into_iter().map(|why| format!("{what}: {why}")).collect()
    }

    /// The operation whose path fits; one with fewer blanks before one with more.
    fn operation(&self, asked: Asked<'_>) -> Option<&Value> {
        let parts: Vec<&str> = asked.path.trim_matches('/').split('/').collect();
        let paths = self.document["paths"].as_object()?;
        let fitting = paths.iter().filter(|(path, _)| fits(path, &parts));
        let (path, _) = fitting.min_by_key(|(path, _)| path.matches('{').count())?;
        paths[path].get(asked.method.to_lowercase())
    }

    /// Follows a reference to what it stands for.
    fn resolved<'a>(&'a self, value: &'a Value) -> &'a Value {
        let reference = value["$ref"].as_str().and_then(|at| at.strip_prefix('#'));
        reference.and_then(|at| self.document.pointer(at)).unwrap_or(value)
    }

    fn parameters<'a>(&'a self, operation: &'a Value) -> impl Iterator<Item = &'a Value> {
        operation["parameters"].as_array().into_iter().flatten().map(|one| self.resolved(one))
    }

    fn wrong_query(&self, operation: &Value, asked: Asked<'_>) -> Vec<String> {
        let mut wrong = Vec::new();
        for (name, text) in url::form_urlencoded::parse(asked.query.as_bytes()) {
            let is_it = |one: &&Value| one["in"] == "query" && one["name"] == *name;
            let Some(parameter) = self.parameters(operation).find(is_it) else {
                wrong.push(format!("the query {name} is not described"));
                continue;
            };
            let schema = if parameter["schema"].is_object() { &parameter["schema"] } else { parameter };
            let schema = self.resolved(schema);
            let value = match schema["type"].as_str() {
                Some("integer" | "number") => {
                    text.parse::<i64>().map_or_else(|_| json!(text), |number| json!(number))
                }
                Some("boolean") => text.parse::<bool>().map_or_else(|_| json!(text), |is_so| json!(is_so)),
                _ => json!(text),
            };
            let mut plain = Map::new();
            for rule in ["type", "enum", "format", "minimum", "maximum"] {
                plain.extend(schema.get(rule).map(|value| (rule.to_owned(), value.clone())));
            }
            wrong.extend(
                self.against(&Value::Object(plain), &value).into_iter().map(|why| format!("{name}: {why}")),
            );
        }
        wrong
    }

    fn wrong_body(&self, operation: &Value, asked: Asked<'_>) -> Vec<String> {
        let of_second = self.parameters(operation).find(|one| one["in"] == "body").map(|one| &one["schema"]);
        let of_third = operation.pointer("/requestBody/content/application~1json/schema");
        let (Some(schema), Some(body)) = (of_second.or(of_third), asked.json) else {
            return match asked.json {
                Some(_) => vec!["a body is not described".to_owned()],
                None => Vec::new(),
            };
        };
        let mut wrong = self.against(schema, body);
        let known = self.resolved(schema)["properties"].as_object();
        let unknown = body
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(name, _)| known.is_none_or(|known| !known.contains_key(*name)));
        wrong.extend(unknown.map(|(name, _)| format!("the field {name} is not described")));
        wrong
    }

    fn against(&self, schema: &Value, value: &Value) -> Vec<String> {
        // References lead into the whole document.
        let mut whole = json!({ "allOf": [schema] });
        for part in ["components", "definitions", "responses"] {
            if let Some(value) = self.document.get(part) {
                whole[part] = value.clone();
            }
        }
        match jsonschema::options().with_draft(Draft::Draft4).should_validate_formats(true).build(&whole) {
            Ok(validator) => validator.iter_errors(value).map(|why| why.to_string()).collect(),
            Err(why) => vec![format!("the schema cannot be read: {why}")],
        }
    }
}

/// Whether a described path fits; its last blank may stand for a path of its own, as that of a file does.
fn fits(path: &str, parts: &[&str]) -> bool {
    let described: Vec<&str> = path.trim_matches('/').split('/').collect();
    let takes_more = described.last() == Some(&"{path}") && parts.len() > described.len();
    (described.len() == parts.len() || takes_more)
        && described.iter().zip(parts).all(|(one, part)| one.starts_with('{') || one == part)
}
