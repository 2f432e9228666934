//! A picture that the tracker does not take: its issue is filed without, the window says so, and a retry sends just that.

use outtray_e2e::{App, Ctl, Desk, Host, Tracker, until_so};

use super::{compose, entry, file, headline_is, outbox, set_pace, the_one_issue, write};

#[test]
fn an_issue_is_filed_without_its_picture_and_a_retry_puts_just_that_in() {
    for is_dark in [false, true] {
        let desk = Desk::new(if is_dark { "missing-dark" } else { "missing" }, Host::Ours);
        if is_dark {
            desk.prefer_dark();
        }
        let (ctl, tracker) = (Ctl(&desk), Tracker::online());
        tracker.change(|project| project.most_bytes = 1_000);
        ctl.add("work", &tracker);
        set_pace(&ctl);
        let app = App::start(&desk);
        let compose = compose(&desk, &app);
        write(&compose, "The roof leaks");
        compose.press("Capture");
        let loaded =
            "return [...document.images].filter(image => image.complete && image.naturalWidth).length";
        until_so("the picture's thumbnail", || compose.count(loaded) == 1);
        compose.look("written");
        compose.press("Preview");
        compose.wait_for("What leaves");
        compose.look("leaves");
        compose.press("Close");
        file(&compose, &ctl, "The roof leaks");
        headline_is(&desk, "1 needs you");
        let outbox = outbox(&desk, &app);
        outbox.wait_for("Filed as #1 without its file");
        assert!(outbox.has_button("Show what is missing") && outbox.has_button("Leave it at that"));
        outbox.look("without");
        assert!(the_one_issue(&tracker).assets.is_empty());

        tracker.change(|project| project.most_bytes = 10_000_000);
        outbox.press("Retry");
        headline_is(&desk, "All filed");
        let issue = the_one_issue(&tracker);
        assert_eq!((tracker.issues().len(), issue.assets.len()), (1, 1), "the same issue, with its picture");
        assert!(issue.body.contains(&issue.assets[0].uuid), "shown in: {}", issue.body);
        assert_eq!(entry(&ctl, "The roof leaks").expect("it is listed")["state"], "filed");
        outbox.look("whole");
    }
}
