//! Scenes that the protocol is there for, each played once, step by step.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use outtray_simulator::scene::Scene;

const LEASE_MS: i64 = 30_000;

#[test]
fn a_slow_stage_outlives_many_leases_and_nobody_takes_it_over() {
    let mut scene = Scene::new(2);
    scene.answers_after(50_000);
    let entry = scene.file(1);
    scene.pass(240_000);
    assert_eq!(scene.row(entry), "Filed");
    assert_eq!(scene.lost_attempts(), 0, "its lease was kept all the while");
    assert_eq!(scene.issues(), 1);
}

#[test]
fn a_late_answer_of_a_displaced_sender_is_news_and_ends_the_doubt_at_once() {
    let mut scene = Scene::new(1);
    scene.answers_after(5_000);
    scene.hide_listings();
    let entry = scene.file(0);
    scene.pass(1_000);
    scene.freeze(0);
    scene.start();
    scene.pass(LEASE_MS + 2_000);
    assert_eq!(scene.row(entry), "Doubt", "the other one looks and waits: the sender may live");
    scene.pass(10_000);
    assert_eq!(scene.row(entry), "Doubt");
    scene.go_on(0);
    scene.pass(0);
    assert_eq!(scene.row(entry), "Filed", "the answer that came late is told");
    assert_eq!(scene.issues(), 1);
}

#[test]
fn eight_hours_of_sleep_in_the_middle_of_a_send_make_one_issue() {
    let mut scene = Scene::new(1);
    scene.lose_next(12 * 3_600_000, 4_000);
    let entry = scene.file(1);
    scene.pass(1_000);
    scene.online(false);
    scene.sleep(8 * 3_600_000);
    assert_eq!(scene.closes(entry), ["cancelled"], "the stage that slept through its lease is given up");
    scene.pass(20_000);
    scene.online(true);
    scene.network_changed();
    scene.pass(1_000);
    assert_eq!(scene.row(entry), "Filed", "it goes on within a second of the network");
    scene.pass(120_000);
    assert_eq!((scene.row(entry).as_str(), scene.issues()), ("Filed", 1));
}

#[test]
fn a_token_that_could_not_be_noted_is_asked_for_again_though_nothing_else_happens() {
    let mut scene = Scene::new(1);
    scene.fail_once("credential_seen");
    let entry = scene.file(0);
    scene.pass(1_000);
    assert_ne!(
        scene.row(entry),
        "Filed",
        "without a note of it, nobody could tell a late refusal from a fresh one"
    );
    scene.pass(10_000);
    assert_eq!((scene.row(entry).as_str(), scene.issues()), ("Filed", 1));
}

#[test]
fn a_killed_sender_is_buried_at_once_and_its_work_goes_on_elsewhere() {
    let mut scene = Scene::new(2);
    scene.answers_after(5_000);
    let entry = scene.file(0);
    scene.pass(1_000);
    let sender = scene.sender(entry).expect("somebody sends it");
    scene.kill(sender);
    assert_eq!(scene.lost_attempts(), 1);
    assert_eq!(
        scene.sender(entry),
        Some(0),
        "the other one has it, and nobody waited for the lease of the dead"
    );
    scene.pass(120_000);
    assert_eq!((scene.row(entry).as_str(), scene.issues()), ("Filed", 1));
}

#[test]
fn the_power_goes_between_the_intent_and_the_send() {
    let mut scene = Scene::new(1);
    scene.die_at("send_create", true);
    let entry = scene.file(0);
    scene.pass(2_000);
    scene.power_cut();
    scene.pass(2_000);
    assert_eq!(scene.row(entry), "Doubt", "the intent stands, and what it stands for is looked for");
    scene.pass(120_000);
    assert_eq!((scene.row(entry).as_str(), scene.issues()), ("Filed", 1));
}

#[test]
fn a_restored_store_finds_what_it_has_moved_and_filed_in_its_lost_future() {
    let mut scene = Scene::new(1);
    scene.lane("client");
    scene.online(false);
    let entry = scene.file(0);
    scene.plant(entry, "client");
    scene.restore();
    scene.online(true);
    scene.network_changed();
    scene.pass(120_000);
    assert_eq!((scene.row(entry).as_str(), scene.issues()), ("Filed", 1));
}

#[test]
fn a_look_that_began_too_early_sets_nothing_free() {
    let mut scene = Scene::new(1);
    scene.lose_next(1_000, 57_000);
    let entry = scene.file(0);
    scene.pass(2_000);
    assert_eq!(scene.row(entry), "Doubt", "its answer was lost");
    scene.pass(52_000);
    scene.slow_looks(12_000);
    scene.retry(entry);
    scene.pass(14_000);
    assert_eq!(scene.row(entry), "Doubt", "the look ended after the quiet time, but began before it");
    scene.slow_looks(0);
    scene.pass(120_000);
    assert_eq!((scene.row(entry).as_str(), scene.issues()), ("Filed", 1));
}

#[test]
fn a_late_sender_takes_no_picture_out_again() {
    let mut scene = Scene::new(1);
    scene.refuse_files(1);
    scene.lose_embed(1_000, 50_000);
    let entry = scene.file(2);
    for _ in 0..3 {
        scene.pass(20_000);
        if scene.row(entry) == "NeedsYou" {
            scene.retry(entry);
        }
        scene.pass(60_000);
    }
    assert_eq!((scene.row(entry).as_str(), scene.issues()), ("Filed", 1));
    assert_eq!(scene.files(), (2, 2), "what was put in late stays in");
}

/// A person says *Send again* so long after an answer was lost, and what was lost shows up in so long; looking for it does
/// not work for a while. It stays in doubt, and is one issue in the end.
fn said_without_being_asked(says_after_ms: i64, commits_ms: i64, why: &str) {
    let mut scene = Scene::new(1);
    scene.lose_next(1_000, commits_ms);
    let entry = scene.file(0);
    scene.pass(2_000);
    scene.break_looks(true);
    scene.pass(says_after_ms);
    assert_eq!(scene.row(entry), "Doubt");
    scene.send_again(entry);
    scene.pass(120_000);
    assert_eq!((scene.row(entry).as_str(), scene.issues()), ("Doubt", 1), "{why}");
    scene.break_looks(false);
    scene.pass(1_200_000);
    assert_eq!((scene.row(entry).as_str(), scene.issues()), ("Filed", 1));
}

#[test]
fn what_a_person_did_not_find_yet_is_no_look() {
    said_without_being_asked(0, 30_000, "it came after they had looked");
}

#[test]
fn what_a_person_says_unasked_is_no_look() {
    said_without_being_asked(120_000, 4_000, "they looked in the wrong place");
}

#[test]
fn looks_that_fail_for_hours_make_nothing_the_persons() {
    let mut scene = Scene::new(1);
    scene.lose_next(1_000, 4_000);
    let entry = scene.file(0);
    scene.pass(2_000);
    scene.break_looks(true);
    scene.pass(12 * 3_600_000);
    assert_eq!(scene.row(entry), "Doubt", "looks are free");
    scene.break_looks(false);
    scene.pass(3_600_000);
    assert_eq!((scene.row(entry).as_str(), scene.issues()), ("Filed", 1));
}

#[test]
fn a_day_of_sleep_in_the_middle_of_a_send_makes_nothing_the_persons() {
    let mut scene = Scene::new(1);
    scene.lose_next(1_000, 4_000);
    let entry = scene.file(0);
    scene.pass(2_000);
    scene.break_looks(true);
    scene.sleep(30 * 3_600_000);
    scene.pass(120_000);
    assert_eq!(scene.row(entry), "Doubt", "a few looks in vain are not a day of looking");
    scene.break_looks(false);
    scene.pass(3_600_000);
    assert_eq!((scene.row(entry).as_str(), scene.issues()), ("Filed", 1));
}

#[test]
fn a_retry_in_the_middle_of_a_doubt_about_pictures_leaves_the_doubt() {
    let mut scene = Scene::new(1);
    scene.refuse_files(1);
    scene.lose_embed(1_000, 50_000);
    let entry = scene.file(2);
    scene.pass(4_000);
    assert_eq!(scene.row(entry), "Doubt", "whether the pictures are in is not known");
    scene.retry(entry);
    scene.pass(240_000);
    assert_eq!((scene.row(entry).as_str(), scene.issues()), ("Filed", 1));
    assert_eq!(scene.files(), (2, 2), "the earlier one came late, and took nothing out");
}
