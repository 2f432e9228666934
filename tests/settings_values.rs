//! Settings: the table is the contract, and bad values are refused in words.
#![allow(clippy::unwrap_used)]

use outtray_core::Code;
use outtray_core::settings::{Settings, TABLE, parse};

fn refusal(key: &str, text: &str) -> (Code, String, String) {
    let problem = parse(key, text).unwrap_err();
    (problem.code, problem.message, problem.hint.unwrap_or_default())
}

#[test]
fn defaults_and_bounds_are_the_documented_ones() {
    let table: Vec<_> = TABLE.iter().map(|s| (s.key, s.default, s.least, s.most)).collect();
    for row in [
        ("drain.lease_ms", Some(30_000), 200, 600_000),
        ("drain.stage_timeout_ms", Some(60_000), 100, 600_000),
        ("drain.workers", Some(3), 1, 16),
        ("drain.admission", Some(70), 1, 10_000),
        ("drain.quiet_ms", None, 0, 600_000),
        ("drain.backoff_base_ms", Some(5_000), 10, 60_000),
        ("drain.backoff_cap_ms", Some(900_000), 10, 86_400_000),
    ] {
        assert!(table.contains(&row), "{row:?}");
    }
    let settings = Settings::default();
    assert_eq!((settings.lease_ms, settings.workers, settings.admission), (30_000, 3, 70));
    assert_eq!((settings.max_entries, settings.max_bytes), (10_000, 2_147_483_648));
    assert_eq!((settings.keep_filed_text_days, settings.keep_filed_pictures_days), (30, 0));
    assert_eq!(settings.quiet_ms, None);
}

#[test]
fn every_default_lies_within_its_bounds() {
    for setting in TABLE {
        assert!(setting.least < setting.most, "{}", setting.key);
        if let Some(default) = setting.default {
            assert!((setting.least..=setting.most).contains(&default), "{}", setting.key);
        }
    }
}

#[test]
fn a_value_within_the_bounds_is_taken() {
    assert_eq!(parse("drain.workers", " 16 ").unwrap(), ("drain.workers", Some(16)));
    assert_eq!(parse("drain.quiet_ms", "0").unwrap(), ("drain.quiet_ms", Some(0)));
    assert_eq!(parse("outbox.max_bytes", "2147483648").unwrap().1, Some(2_147_483_648));
}

#[test]
fn unset_goes_back_to_the_default() {
    assert_eq!(parse("drain.quiet_ms", "unset").unwrap(), ("drain.quiet_ms", None));
    assert_eq!(parse("drain.workers", "unset").unwrap(), ("drain.workers", None));
}

#[test]
fn a_value_beyond_the_bounds_is_refused_in_words() {
    let (code, message, hint) = refusal("drain.workers", "99");
    assert_eq!(code, Code::Invalid);
    assert_eq!(message, "drain.workers takes 1 to 16 workers; 99 is too many.");
    assert_eq!(hint, "The default is 3; “unset” goes back to it.");
    assert_eq!(refusal("drain.workers", "0").1, "drain.workers takes 1 to 16 workers; 0 is too few.");
    assert_eq!(refusal("drain.workers", "-1").1, "drain.workers takes 1 to 16 workers; -1 is too few.");
    assert_eq!(
        refusal("drain.lease_ms", "100").1,
        "drain.lease_ms takes 200 to 600000 ms; 100 is too short."
    );
    let endless = "9".repeat(200);
    assert!(refusal("drain.lease_ms", &endless).1.ends_with("… is too long."));
}

#[test]
fn what_is_no_number_is_refused_in_words() {
    for text in ["", "three", "1.5", "1e3", "0x10", "1 2", "-", "+", "１", "\n"] {
        let (code, message, _) = refusal("drain.workers", text);
        assert_eq!(code, Code::Invalid);
        assert!(message.ends_with("is not a whole number."), "{text:?}: {message}");
    }
}

#[test]
fn an_unknown_name_is_answered_with_the_nearest_one() {
    let (code, message, hint) = refusal("drain.worker", "3");
    assert_eq!((code, message.as_str()), (Code::NotFound, "There is no setting called drain.worker."));
    assert_eq!(hint, "Did you mean drain.workers?");
    assert_eq!(refusal("lease_ms", "3").2, "Did you mean drain.lease_ms?");
    assert_eq!(refusal("drain.lease-ms", "3").2, "Did you mean drain.lease_ms?");
    assert_eq!(refusal("colour", "red").2, "“outtrayctl settings get” lists them all.");
}

#[test]
fn stored_rows_are_in_force_and_bad_ones_do_no_harm() {
    let settings = Settings::from_rows([
        ("drain.workers", "5"),
        ("drain.quiet_ms", "250"),
        ("drain.lease_ms", "what?"),
        ("drain.admission", "99999999"),
        ("of.another.version", "1"),
    ]);
    assert_eq!((settings.workers, settings.quiet_ms), (5, Some(250)));
    assert_eq!(settings.lease_ms, 30_000, "what cannot be read leaves the default");
    assert_eq!(settings.admission, 10_000, "what is beyond a bound is the bound");
}

#[test]
fn each_view_shows_the_value_in_force() {
    // A value of its own for each, so that none can stand in another's place.
    let rows: Vec<(&str, String)> = TABLE
        .iter()
        .zip(0..)
        .map(|(setting, at)| (setting.key, (setting.least + 1 + at).to_string()))
        .collect();
    let views = Settings::from_rows(rows).views();
    assert_eq!(views.len(), TABLE.len());
    for ((view, setting), at) in views.iter().zip(TABLE).zip(0..) {
        assert_eq!((view.key.as_str(), view.value), (setting.key, Some(setting.least + 1 + at)));
        assert_eq!((view.default, view.unit.as_str()), (setting.default, setting.unit));
    }
    let quiet = Settings::default().views().into_iter().find(|view| view.key == "drain.quiet_ms").unwrap();
    assert_eq!(quiet.value, None);
}
