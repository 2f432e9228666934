//! Addresses and projects as people type them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use outtray_core::Code;
use outtray_core::tracker::address::{tidy, tidy_project, tidy_with_project};

#[test]
fn an_address_is_understood_however_it_is_typed() {
    for (typed, expected) in [
        ("https://git.example.org", "https://git.example.org/"),
        ("  https://git.example.org/  ", "https://git.example.org/"),
        ("git.example.org", "https://git.example.org/"),
        ("//git.example.org", "https://git.example.org/"),
        ("git.example.org:8443", "https://git.example.org:8443/"),
        ("HTTPS://Git.Example.ORG:443//", "https://git.example.org/"),
        ("https://git.example.org/git/", "https://git.example.org/git"),
        ("https://git.example.org//git//tea/", "https://git.example.org/git/tea"),
        ("https://git.example.org/git/api/v1/", "https://git.example.org/git"),
        ("https://git.example.org/?token=x#top", "https://git.example.org/"),
        ("localhost:3000", "http://localhost:3000/"),
        ("gitea.localhost", "http://gitea.localhost/"),
        ("127.0.0.1:3000/git", "http://127.0.0.1:3000/git"),
        ("[::1]:3000", "http://[::1]:3000/"),
        ("http://[::1]:3000/", "http://[::1]:3000/"),
        ("http://127.0.0.1:3000", "http://127.0.0.1:3000/"),
        ("https://[2001:db8::1]/git", "https://[2001:db8::1]/git"),
        ("bücher.example", "https://xn--bcher-kva.example/"),
    ] {
        assert_eq!(tidy(typed).unwrap_or_else(|why| panic!("{typed}: {why}")).as_str(), expected, "{typed}");
    }
}

#[test]
fn what_is_no_address_is_refused_in_words() {
    for (typed, words) in [
        ("", "empty"),
        ("   ", "empty"),
        ("/home/ada/issues", "a path on this computer"),
        ("ftp://git.example.org", "ftp://"),
        ("file:///etc/passwd", "file://"),
        ("ssh://git@git.example.org/ada/demo", "ssh://"),
        ("javascript:alert(1)", "not an address"),
        ("https://", "not an address"),
        ("https://ada:secret@git.example.org", "user name or a password"),
        ("https://ada@git.example.org", "user name or a password"),
        ("http://git.example.org", "plain http"),
        ("http://192.168.1.10:3000", "plain http"),
        ("http://127.0.0.1.example.org", "plain http"),
        ("git example org", "not an address"),
        ("https://git.example.org:99999", "not an address"),
    ] {
        let problem = tidy(typed).expect_err(typed);
        assert_eq!(problem.code, Code::Invalid, "{typed}");
        assert!(problem.message.contains(words), "{typed}: {}", problem.message);
        assert!(problem.hint.is_some(), "{typed} has a next step");
        assert!(!problem.chain().contains("secret"), "a password is not repeated: {}", problem.chain());
    }
}

#[test]
fn a_project_has_an_owner_and_a_name() {
    assert_eq!(tidy_project(" ada/demo ").unwrap(), "ada/demo");
    assert_eq!(tidy_project("/ada/demo.git/").unwrap(), "ada/demo.git".trim_end_matches(".git"));
    assert_eq!(tidy_project("a-b_c.d/e").unwrap(), "a-b_c.d/e");
    for typed in
        ["", "demo", "ada/", "/demo", "ada/demo/issues", "ada/../x", "a da/demo", "ada/dé", "ada//demo"]
    {
        let problem = tidy_project(typed).expect_err(typed);
        assert!(problem.hint.is_some_and(|hint| hint.contains("ada/demo")), "{typed}");
    }
}

#[test]
fn the_address_of_a_repositorys_page_gives_the_project_too() {
    for (typed, project, expected) in [
        ("https://git.example.org/ada/demo", "", ("https://git.example.org/", "ada/demo")),
        ("https://git.example.org/git/ada/demo.git", "", ("https://git.example.org/git", "ada/demo")),
        ("https://git.example.org/ada/demo/issues/12", "", ("https://git.example.org/", "ada/demo")),
        ("https://git.example.org/git/ada/demo/issues/new", "", ("https://git.example.org/git", "ada/demo")),
        ("https://git.example.org/git", "ada/demo", ("https://git.example.org/git", "ada/demo")),
    ] {
        let (url, project) = tidy_with_project(typed, project).unwrap();
        assert_eq!((url.as_str(), project.as_str()), expected, "{typed}");
    }
    assert!(
        tidy_with_project("https://git.example.org", "").unwrap_err().message.contains("project is missing")
    );
    assert!(tidy_with_project("https://git.example.org/git", "").is_err());
}
