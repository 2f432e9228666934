//! `drain`, `status`, `pause`, `resume`: the work as a whole.

use std::time::Duration;

use outtray_core::attention::Attention;
use outtray_core::problem::Result;
use outtray_core::secrets::variable;
use serde_json::json;

use crate::End;
use crate::desk::Desk;
use crate::interface::{DrainArgs, PauseArgs};
use crate::output::local;

pub(crate) async fn drain(drain: &DrainArgs, desk: &Desk<'_>) -> Result<End> {
    // To wait for what is due later is to go on until nothing is due now.
    let until_idle = drain.until_idle || drain.deadline.is_some();
    let report = desk.engine.drain(until_idle, drain.deadline.map(Duration::from_secs)).await?;
    desk.output.show(&report, || {
        let mut parts = vec![format!("{} filed", report.filed)];
        if report.left_waiting > 0 {
            parts.push(format!("{} left waiting", report.left_waiting));
        }
        match report.attention {
            0 => {}
            1 => parts.push("1 needs you".to_owned()),
            many => parts.push(format!("{many} need you")),
        }
        format!("{}.", parts.join(", "))
    });
    for name in &report.without_token {
        desk.output.remark(&format!("No token for {name} is kept here: set {}.", variable(name)));
    }
    Ok(if report.left_waiting == 0 { End::Done } else { End::NotYet })
}

pub(crate) fn status(desk: &Desk<'_>) -> Result<End> {
    let attention = desk.engine.status()?;
    desk.output.show(&attention, || in_words(&attention));
    Ok(End::Done)
}

fn in_words(attention: &Attention) -> String {
    let mut lines = vec![attention.headline.clone()];
    if let Some(next_try) = &attention.next_try {
        lines.push(format!("Next try: {}", local(next_try)));
    }
    for item in &attention.items {
        let id = item.entry.map(|id| format!("{id}  ")).unwrap_or_default();
        lines.push(format!("  {id}{} ({})", item.title, item.destination));
        lines.push(format!("      {} {}.", item.words, item.step));
    }
    lines.join("\n")
}

pub(crate) fn pause(pause: &PauseArgs, desk: &Desk<'_>) -> Result<End> {
    desk.engine.pause(pause.name.as_deref(), pause.minutes)?;
    desk.output.show(&json!({ "destination": pause.name, "paused": true, "minutes": pause.minutes }), || {
        let long = match pause.minutes {
            Some(1) => "for 1 minute".to_owned(),
            Some(minutes) => format!("for {minutes} minutes"),
            None => "until you resume it".to_owned(),
        };
        format!("{} is paused {long}.", what(pause.name.as_deref()))
    });
    Ok(End::Done)
}

pub(crate) fn resume(name: Option<&str>, desk: &Desk<'_>) -> Result<End> {
    desk.engine.resume(name)?;
    desk.output.show(&json!({ "destination": name, "paused": false }), || format!("{} goes on.", what(name)));
    Ok(End::Done)
}

fn what(name: Option<&str>) -> &str {
    name.unwrap_or("All work")
}
