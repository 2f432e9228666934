//! Whom a destination is believed to be: by the computer's certificates, by a file of its own, through a proxy.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "cli/mod.rs"]
mod cli;

use cli::Home;
use outtray_support::{PracticeTracker, Secure, TOKEN, Tunnel};
use serde_json::json;

/// A practice tracker behind TLS, as `host`.
async fn secure(host: &str) -> (PracticeTracker, Secure) {
    let tracker = PracticeTracker::start().await.unwrap();
    let secure = Secure::before(tracker.port(), host).await.unwrap();
    (tracker, secure)
}

fn home() -> Home {
    Home::new().with("OUTTRAY_TOKEN_WORK", TOKEN)
}

fn add(home: &Home, url: &str, more: &[&str]) {
    let add = ["destination", "add", "work", "--tracker", "gitea", "--url", url, "--project", "ada/demo"];
    home.json(&[&add[..], more].concat());
}

/// Files one, and says whether it arrived.
fn files(home: &Home, tracker: &PracticeTracker) -> bool {
    let before = tracker.issues().len();
    home.json(&["file", "--to", "work", "--title", "One"]);
    home.json(&["retry", "--all"]);
    home.run(&["drain", "--until-idle", "--deadline", "10"]);
    tracker.issues().len() == before + 1
}

#[tokio::test(flavor = "multi_thread")]
async fn an_authority_of_ones_own_is_believed_where_a_file_names_it_and_nowhere_else() {
    let (tracker, secure) = secure("localhost").await;
    let url = format!("https://localhost:{}", secure.port());
    tracker.change(|project| project.root_url = Some(url.clone()));
    let home = home();
    add(&home, &url, &[]);
    let tested = home.run(&["destination", "test", "work", "--json"]);
    let told = format!("The certificate of localhost:{} is not trusted on this computer.", secure.port());
    assert_eq!((tested.code, &tested.json()["words"]), (1, &json!(told)), "{tested:?}");
    assert!(!files(&home, &tracker), "nothing goes to somebody who is not believed");
    assert!(tracker.requests().is_empty());

    home.write("ca.pem", secure.authority());
    let changed = home.json(&["destination", "certificate", "work", "--ca", "ca.pem"]);
    assert_eq!(changed["ca"], json!(home.cwd().join("ca.pem")));
    assert_eq!(home.json(&["destination", "test", "work"])["works"], json!(true));
    home.run(&["drain", "--until-idle", "--deadline", "10"]);
    assert_eq!(tracker.issues().len(), 1, "what waited for it went out");

    // A file that names somebody else does not help.
    let (_, other) = self::secure("localhost").await;
    home.write("other.pem", other.authority());
    home.json(&["destination", "certificate", "work", "--ca", "other.pem"]);
    assert!(!files(&home, &tracker));
    home.json(&["destination", "certificate", "work", "--none"]);
    assert_eq!(home.json(&["destination", "list"])[1]["ca"], json!(null));
    assert_eq!(home.run(&["destination", "test", "work"]).code, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_certificates_that_is_none_is_told_in_words_and_nothing_is_lost() {
    let (tracker, secure) = secure("localhost").await;
    let url = format!("https://localhost:{}", secure.port());
    tracker.change(|project| project.root_url = Some(url.clone()));
    let home = home();
    let good = home.write("ca.pem", secure.authority());
    add(&home, &url, &["--ca", "ca.pem"]);
    assert!(files(&home, &tracker));

    std::fs::remove_file(&good).unwrap();
    let tested = home.run(&["destination", "test", "work", "--json"]);
    let words = tested.json()["words"].as_str().unwrap().to_owned();
    let missing = format!("The certificate file {} is not there.", good.display());
    assert!(tested.code == 1 && words.starts_with(&missing), "{words}");
    assert!(!files(&home, &tracker));
    let entry = &home.json(&["list"])[0];
    assert_eq!(entry["state"], json!("attention"), "{entry}");
    assert!(entry["reason"].as_str().unwrap().contains("is not there"), "{entry}");

    home.write("ca.pem", "no certificate at all");
    let tested = home.run(&["destination", "test", "work", "--json"]);
    assert!(tested.json()["words"].as_str().unwrap().contains("holds no certificate in PEM"), "{tested:?}");

    home.write("ca.pem", secure.authority());
    home.json(&["retry", "--all"]);
    home.run(&["drain", "--until-idle", "--deadline", "10"]);
    assert_eq!(tracker.issues().len(), 2, "it is filed once it is put right");
    let [code, message, _] = home.refused(&["destination", "certificate", "Folder", "--ca", "ca.pem"]);
    assert_eq!((code.as_str(), message.as_str()), ("refused", "A folder needs no certificate."));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_computer_trusts_is_believed_and_a_proxy_of_the_environment_is_used() {
    let host = "tracker.example.org";
    let (tracker, secure) = secure(host).await;
    tracker.change(|project| project.root_url = Some(format!("https://{host}")));
    let proxy = Tunnel::to(secure.port()).await.unwrap();
    let home = home();
    let trusted = home.write("trusted.pem", secure.authority());
    let home = home.with("SSL_CERT_FILE", trusted.to_str().unwrap()).with("HTTPS_PROXY", &proxy.url());
    add(&home, &format!("https://{host}"), &[]);
    assert!(files(&home, &tracker));
    let asked = proxy.asked();
    let connect = format!("CONNECT {host}:443 HTTP/1.1");
    assert!(!asked.is_empty() && asked.iter().all(|line| *line == connect), "{asked:?}");
    let url = home.json(&["list"])[0]["receipt"]["url"].clone();
    assert_eq!(url, json!(format!("https://{host}/ada/demo/issues/1")));

    // What is on this computer is not reached through a proxy somewhere else.
    let local = PracticeTracker::start().await.unwrap();
    let home = home.with("HTTP_PROXY", &proxy.url()).with("OUTTRAY_TOKEN_LOCAL", TOKEN);
    home.json(&[
        "destination",
        "add",
        "local",
        "--tracker",
        "gitea",
        "--url",
        &local.url(),
        "--project",
        "ada/demo",
    ]);
    assert_eq!(home.json(&["destination", "test", "local"])["works"], json!(true));
    assert_eq!(proxy.asked().len(), asked.len());
}
