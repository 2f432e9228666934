//! `settings`: read and changed.

use outtray_core::problem::Result;
use outtray_core::settings::{UNSET, find};
use outtray_core::view::SettingView;

use crate::End;
use crate::desk::Desk;
use crate::interface::SettingsVerb;
use crate::output::columns;

pub(crate) fn run(verb: &SettingsVerb, desk: &Desk<'_>) -> Result<End> {
    match verb {
        SettingsVerb::Get { key: None } => {
            let settings = desk.engine.settings()?;
            desk.output.show(&settings, || table(&settings));
        }
        SettingsVerb::Get { key: Some(key) } => {
            let key = find(key)?.key;
            for setting in desk.engine.settings()?.into_iter().filter(|setting| setting.key == key) {
                desk.output.show(&setting, || value(setting.value));
            }
        }
        SettingsVerb::Set { key, value: text } => {
            let setting = desk.engine.set_setting(key, text)?;
            desk.output.show(&setting, || format!("{} is {}.", setting.key, with_unit(&setting)));
        }
    }
    Ok(End::Done)
}

fn table(settings: &[SettingView]) -> String {
    let row = |setting: &SettingView| {
        let bounds = format!("{} to {}", setting.least, setting.most);
        [setting.key.clone(), with_unit(setting), value(setting.default), bounds, setting.words.clone()]
    };
    let head = ["SETTING", "VALUE", "DEFAULT", "TAKES", "WHAT IT DOES"].map(str::to_owned);
    let rows: Vec<_> = std::iter::once(head).chain(settings.iter().map(row)).collect();
    columns(&rows).join("\n")
}

fn with_unit(setting: &SettingView) -> String {
    match setting.value {
        Some(value) => format!("{value} {}", setting.unit),
        None => UNSET.to_owned(),
    }
}

fn value(value: Option<u64>) -> String {
    value.map_or_else(|| UNSET.to_owned(), |value| value.to_string())
}
