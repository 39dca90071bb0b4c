//! Whatever is requested, `openapi.json` describes the answer; and every answer that it describes occurs.

use std::collections::BTreeMap;

use super::*;

const METHODS: [&str; 6] = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"];
const QUERIES: [&str; 9] = [
    "",
    "?limit=0",
    "?limit=3&stage=endless&mode=endless&difficulty=normal&players=1",
    "?before=1",
    "?mode=daily&day=2023-11-14",
    "?range=192.0.2.0/24",
    "?range=everybody",
    "?name=Ann",
    "?name=Nobody",
];
/// A method, a path as the document writes it, and a status.
type Answered = (String, String, String);

/// The document, and the answers seen so far.
struct Reader {
    document: Value,
    validators: BTreeMap<Answered, jsonschema::Validator>,
    seen: BTreeSet<Answered>,
}

impl Reader {
    fn new() -> Reader {
        Reader { document: document(), validators: BTreeMap::new(), seen: BTreeSet::new() }
    }

    /// The paths, `/admin` last: it closes lobbies and ends the node.
    fn paths(&self) -> Vec<String> {
        let mut paths: Vec<String> = self.document["paths"].as_object().expect("paths").keys().cloned().collect();
        paths.sort_by_key(|path| path.starts_with("/admin"));
        paths
    }

    /// The method whose answers apply: HEAD is GET without a body, and an unknown method is refused like a known one.
    fn method(&self, path: &str, asked: &str) -> String {
        let methods = self.document["paths"][path].as_object().expect("methods");
        let asked = asked.to_lowercase().replace("head", "get");
        if methods.contains_key(&asked) { asked } else { methods.keys().next().expect("a method").clone() }
    }

    /// The answer in the document: the one with that status, or the default.
    fn described(&self, method: &str, path: &str, status: &str) -> (String, Value) {
        let answers = &self.document["paths"][path][method]["responses"];
        let status = if answers[status].is_object() { status } else { "default" };
        let answer = &answers[status];
        let answer = match answer["$ref"].as_str() {
            Some(name) => &self.document["components"]["responses"][name.rsplit('/').next().unwrap_or_default()],
            None => answer,
        };
        assert!(answer.is_object(), "the document lacks the answer {status} of {method} {path}");
        (status.into(), answer.clone())
    }

    fn check(&mut self, asked: &str, path: &str, answer: &Answer) {
        let method = self.method(path, asked);
        let (status, described) = self.described(&method, path, answer.status.as_str());
        assert!(status != "default" || answer.status.is_client_error(), "{asked} {path}: {}", answer.text);
        let key = (method, path.to_owned(), status);
        self.seen.insert(key.clone());
        if answer.text.is_empty() {
            return;
        }
        let kind = answer.kind.split(';').next().unwrap_or_default();
        assert!(described["content"][kind].is_object(), "{asked} {key:?}: {kind} is not described: {}", answer.text);
        if kind == "application/json" {
            self.check_json(key, &described["content"][kind]["schema"], &answer.text);
        }
    }

    fn check_json(&mut self, key: Answered, schema: &Value, text: &str) {
        let validator = self.validators.entry(key.clone()).or_insert_with(|| {
            let mut schema = schema.clone();
            schema["components"] = self.document["components"].clone();
            jsonschema::validator_for(&schema).expect("a schema")
        });
        let value = serde_json::from_str(text).expect("JSON");
        let faults: Vec<String> = validator.iter_errors(&value).map(|fault| fault.to_string()).collect();
        assert!(faults.is_empty(), "{key:?}: {faults:?} in {text}");
    }

    /// Answers in the document that were not seen.
    fn unseen(&self) -> Vec<Answered> {
        let mut unseen = Vec::new();
        for path in self.paths() {
            for (method, operation) in self.document["paths"][&path].as_object().expect("methods") {
                let statuses = operation["responses"].as_object().expect("answers").keys();
                unseen.extend(statuses.map(|status| (method.clone(), path.clone(), status.clone())));
            }
        }
        unseen.retain(|answered| !self.seen.contains(answered));
        unseen
    }

    /// Sends every kind of request to a path.
    async fn try_all(&mut self, node: &TestNode, path: &str, id: &str) {
        let ids: &[&str] = if path.contains("{id}") { &[id, "NOBODY", "%ff"] } else { &[id] };
        for at in ids.iter().map(|id| path.replace("{id}", id)) {
            for method in METHODS {
                for token in [None, Some(TOKEN)] {
                    for (query, body) in variants(method, id) {
                        let answer = node.send(method, &format!("{at}{query}"), token, body).await;
                        self.check(method, path, &answer);
                    }
                }
            }
        }
    }
}

fn variants(method: &str, id: &str) -> Vec<(&'static str, Value)> {
    let bodies = [
        Value::Null,
        json!({"range": "192.0.2.0/24"}),
        json!({"range": "everybody"}),
        json!({"lobby": "NOBODY", "seat": 0}),
        json!({"lobby": id, "seat": 0}),
        json!({"lobby": "a".repeat(9999), "seat": 0}),
    ];
    match method {
        "POST" => bodies.map(|body| ("", body)).into(),
        _ => QUERIES.map(|query| (query, Value::Null)).into(),
    }
}

#[test]
fn every_answer_is_described_and_every_described_answer_occurs() {
    runtime().block_on(async {
        let mut reader = Reader::new();
        let node = TestNode::new();
        let id = node.lobby().await;
        for path in reader.paths() {
            reader.try_all(&node, &path, &id).await;
        }
        reader.try_all(&node, "/api/replays/{id}", &record().game.to_string()).await;
        node.shutdown.mark_announced();
        reader.try_all(&node, "/healthz", &id).await;
        let nowhere =
            Archive::in_directory(std::path::Path::new("/no/such/directory"), None).expect("it is not asked yet");
        let all: Vec<Range> =
            (0..BANS_MAX).map(|number| format!("10.0.{}.{}", number >> 8, number & 255)).map(parsed).collect();
        let broken = TestNode::with(nowhere, all);
        for path in ["/api/scores", "/api/matches", "/admin/bans", "/admin/players"] {
            reader.try_all(&broken, path, &id).await;
        }
        // A WebSocket needs a real socket; other tests open one.
        let unseen = reader.unseen();
        let known = ["101", "503"].map(|status| ("get".into(), "/volley".into(), status.into()));
        assert_eq!(unseen.iter().filter(|answered| answered.2 != "default").cloned().collect::<Vec<_>>(), known);
    });
}

fn parsed(range: String) -> Range {
    range.parse().expect("a range")
}
