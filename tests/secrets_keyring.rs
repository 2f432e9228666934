//! Tokens and the keyring: what is kept where, and how long anybody waits for it.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use outtray_core::Code;
use outtray_core::secrets::Secrets;
use outtray_secrets::{Keyring, Refusal, Vault};
use secrecy::{ExposeSecret, SecretString};

const PATIENCE: Duration = Duration::from_millis(100);

/// A keyring in memory.
#[derive(Default)]
struct Drawer(HashMap<String, SecretString>);

impl Vault for Drawer {
    fn read(&mut self, name: &str) -> Result<Option<SecretString>, Refusal> {
        Ok(self.0.get(name).cloned())
    }
    fn write(&mut self, name: &str, token: &SecretString) -> Result<(), Refusal> {
        self.0.insert(name.to_owned(), token.clone());
        Ok(())
    }
    fn erase(&mut self, name: &str) -> Result<(), Refusal> {
        self.0.remove(name);
        Ok(())
    }
}

/// A keyring that two stores share.
struct Shared(Arc<Mutex<Drawer>>);

impl Vault for Shared {
    fn read(&mut self, name: &str) -> Result<Option<SecretString>, Refusal> {
        self.0.lock().unwrap().read(name)
    }
    fn write(&mut self, name: &str, token: &SecretString) -> Result<(), Refusal> {
        self.0.lock().unwrap().write(name, token)
    }
    fn erase(&mut self, name: &str) -> Result<(), Refusal> {
        self.0.lock().unwrap().erase(name)
    }
}

/// A keyring that always says the same no.
struct No(Refusal);

impl Vault for No {
    fn read(&mut self, _: &str) -> Result<Option<SecretString>, Refusal> {
        Err(self.0.clone())
    }
    fn write(&mut self, _: &str, _: &SecretString) -> Result<(), Refusal> {
        Err(self.0.clone())
    }
    fn erase(&mut self, _: &str) -> Result<(), Refusal> {
        Err(self.0.clone())
    }
}

/// A keyring that hangs in every call until it is let go, and tells of each call it begins.
struct Hanging {
    drawer: Drawer,
    begun: Sender<()>,
    let_go: Receiver<()>,
}

impl Hanging {
    fn new() -> (Self, Receiver<()>, Sender<()>) {
        let ((begun, begins), (go, let_go)) = (channel(), channel());
        (Self { drawer: Drawer::default(), begun, let_go }, begins, go)
    }

    fn hang(&self) {
        let _told = self.begun.send(());
        let _let_go = self.let_go.recv();
    }
}

impl Vault for Hanging {
    fn read(&mut self, name: &str) -> Result<Option<SecretString>, Refusal> {
        self.hang();
        self.drawer.read(name)
    }
    fn write(&mut self, name: &str, token: &SecretString) -> Result<(), Refusal> {
        self.hang();
        self.drawer.write(name, token)
    }
    fn erase(&mut self, name: &str) -> Result<(), Refusal> {
        self.hang();
        self.drawer.erase(name)
    }
}

fn over(vault: impl Vault) -> Keyring {
    Keyring::with_vault(Box::new(vault), PATIENCE)
}

fn missing() -> No {
    No(Refusal::Missing("no bus".to_owned()))
}

async fn token(keyring: &Keyring, name: &str) -> Option<String> {
    keyring.token(name).await.unwrap().map(|token| token.expose_secret().to_owned())
}

#[tokio::test]
async fn a_token_is_kept_read_replaced_and_forgotten() {
    let keyring = over(Drawer::default());
    assert_eq!(token(&keyring, "work").await, None);
    keyring.keep("work", "one".into()).await.unwrap();
    keyring.keep("work", "two".into()).await.unwrap();
    assert_eq!(token(&keyring, "work").await.as_deref(), Some("two"));
    assert_eq!(token(&keyring, "home").await, None, "each destination has its own");
    keyring.forget("work").await.unwrap();
    keyring.forget("work").await.unwrap();
    assert_eq!(token(&keyring, "work").await, None);
}

#[tokio::test]
async fn without_a_keyring_a_command_is_told_which_variable_to_set() {
    let keyring = over(missing());
    let problem = keyring.keep("my work", "t".into()).await.unwrap_err();
    assert_eq!((problem.code, problem.message.as_str()), (Code::Keyring, "No keyring answers here."));
    assert_eq!(problem.hint.as_deref(), Some("Set OUTTRAY_TOKEN_MY_WORK instead."));
    assert_eq!(keyring.token("my work").await.unwrap_err().code, Code::Keyring);
    keyring.forget("my work").await.expect("there is nothing to forget");
}

#[tokio::test]
async fn without_a_keyring_a_session_keeps_a_token_in_memory_and_says_so() {
    let keyring = over(missing()).remembering();
    keyring.keep("work", "t".into()).await.unwrap();
    assert_eq!(token(&keyring, "work").await.as_deref(), Some("t"));
    assert!(keyring.is_for_this_session_only("work"));
    keyring.forget("work").await.unwrap();
    assert!(!keyring.is_for_this_session_only("work"));
}

#[tokio::test]
async fn a_locked_keyring_is_not_replaced_by_memory() {
    let keyring = over(No(Refusal::Locked("dismissed".to_owned()))).remembering();
    let problem = keyring.keep("work", "t".into()).await.unwrap_err();
    assert_eq!(problem.message, "The keyring is locked.");
    assert!(!keyring.is_for_this_session_only("work"), "it was not kept, so it must not look as if it were");
}

#[tokio::test]
async fn a_keyring_that_hangs_costs_its_limit_once_and_nothing_afterwards() {
    let (vault, begins, go) = Hanging::new();
    let keyring = over(vault);
    let started = Instant::now();
    assert_eq!(keyring.token("work").await.unwrap_err().message, "The keyring does not answer.");
    assert!(started.elapsed() >= PATIENCE);
    begins.recv().unwrap();

    let started = Instant::now();
    for _ in 0..50 {
        assert_eq!(keyring.token("work").await.unwrap_err().code, Code::Keyring);
    }
    assert!(started.elapsed() < PATIENCE, "nobody queues behind a call that hangs");
    assert!(begins.try_recv().is_err(), "and nothing more is asked of it");
    drop(go);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_keyring_that_wakes_up_is_asked_again() {
    let (vault, begins, go) = Hanging::new();
    let keyring = over(vault);
    keyring.keep("work", "late".into()).await.unwrap_err();
    begins.recv().unwrap();
    // Through with the call that hung; every later one answers at once.
    drop(go);
    let answer = loop {
        match keyring.token("work").await {
            Ok(answer) => break answer,
            Err(_) => tokio::task::yield_now().await,
        }
    };
    assert_eq!(answer.unwrap().expose_secret(), "late");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_nobody_waits_for_any_more_is_not_begun() {
    let (vault, begins, go) = Hanging::new();
    let keyring = std::sync::Arc::new(over(vault));
    let (one, other) = (keyring.clone(), keyring.clone());
    let first = tokio::spawn(async move { one.token("work").await });
    tokio::task::spawn_blocking(move || begins.recv()).await.unwrap().expect("the first call begins");
    let second = tokio::spawn(async move { other.keep("work", "second".into()).await });
    first.await.unwrap().unwrap_err();
    second.await.unwrap().unwrap_err();
    drop(go);
    let answer = loop {
        match keyring.token("work").await {
            Ok(answer) => break answer,
            Err(_) => tokio::task::yield_now().await,
        }
    };
    assert!(answer.is_none(), "what was refused must not be kept behind the person's back");
}

#[tokio::test]
async fn two_stores_of_one_person_never_find_each_others_tokens() {
    let shared = Arc::new(Mutex::new(Drawer::default()));
    let (here, there) = (over(Shared(Arc::clone(&shared))), over(Shared(shared)));
    here.belong_to("store-1");
    there.belong_to("store-2");
    here.keep("work", "ours".into()).await.unwrap();
    assert_eq!(token(&there, "work").await, None);
    there.keep("work", "theirs".into()).await.unwrap();
    there.forget("work").await.unwrap();
    assert_eq!(token(&here, "work").await.as_deref(), Some("ours"));
}
