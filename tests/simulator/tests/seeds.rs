//! Two thousand histories, none of which may lose or double an issue.

use outtray_simulator::{Outcome, Size, run};

const SEEDS: u64 = 2_000;

#[test]
fn whatever_happens_every_issue_is_filed_once() {
    let size = Size { steps: 60 };
    let halves = [0..SEEDS / 2, SEEDS / 2..SEEDS].map(|seeds| {
        std::thread::spawn(move || {
            seeds
                .map(|seed| run(seed, size, None).map_err(|told| format!("seed {seed}: {told}")))
                .collect::<Result<Vec<_>, _>>()
        })
    });
    let mut all = Outcome::default();
    for half in halves {
        let outcomes = half.join().unwrap_or_else(|_| Err("a history panicked".to_owned()));
        match outcomes {
            Ok(outcomes) => outcomes.iter().for_each(|outcome| {
                all.saved += outcome.saved;
                all.issues += outcome.issues;
                all.deaths += outcome.deaths;
                all.stops += outcome.stops;
                all.power_cuts += outcome.power_cuts;
            }),
            Err(told) => assert!(told.is_empty(), "{told}"),
        }
    }
    assert!(all.saved > 8_000 && all.deaths > 4_000 && all.power_cuts > 700, "{all:?}");
}
