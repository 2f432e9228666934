//! Named points at which tests make this code fail, and named mistakes that tests make it commit, to see that somebody
//! notices. Without the feature `faults` both come to nothing; a release is built without it.
//!
//! A point stands before and after every write of the store and every request to a tracker, under the name of that. What
//! happens there comes from `OUTTRAY_FAULTS`, as in `intend.after=kill@2,send_upload.before=stall:1500` (the second time
//! at which the intent has been committed, this process kills itself; before every upload it stands still for 1.5 s), or
//! from a test on the same thread. A mistake is switched on by its name in `OUTTRAY_MISTAKE`.

/// On which side of a write or a request a point stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Moment {
    /// Nothing has happened yet.
    Before,
    /// It has happened, and its result is about to be used.
    After,
}

#[cfg(not(feature = "faults"))]
mod switch {
    use super::Moment;
    use crate::problem::Result;

    /// Comes to nothing.
    ///
    /// # Errors
    /// None.
    #[inline]
    pub const fn point(_name: &'static str, _moment: Moment) -> Result<()> {
        Ok(())
    }

    /// Comes to nothing.
    #[inline]
    pub const fn mistake(_name: &'static str) -> bool {
        false
    }
}

#[cfg(feature = "faults")]
mod switch {
    use std::cell::RefCell;
    use std::collections::HashMap;
    use std::sync::{Mutex, OnceLock, PoisonError};
    use std::time::Duration;

    use super::Moment;
    use crate::problem::{Code, Problem, Result};

    /// What happens at a point.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Fault {
        /// It fails with an error.
        Error,
        /// This thread stands still.
        Stall(Duration),
        /// This process kills itself.
        Kill,
    }

    type Script = Box<dyn FnMut(&'static str, Moment) -> Option<Fault>>;

    thread_local! {
        static SCRIPT: RefCell<Option<Script>> = const { RefCell::new(None) };
        static MISTAKE: RefCell<Option<String>> = const { RefCell::new(None) };
    }

    /// Lets `script` decide, on this thread, what happens at each point; nothing ends that.
    pub fn script(script: Option<Script>) {
        SCRIPT.with_borrow_mut(|current| *current = script);
    }

    /// Switches one mistake on, on this thread; nothing switches it off.
    pub fn commit_mistake(name: Option<&str>) {
        MISTAKE.with_borrow_mut(|current| *current = name.map(str::to_owned));
    }

    /// Fails here when that was asked for.
    ///
    /// # Errors
    /// `Internal`, when an error was asked for.
    pub fn point(name: &'static str, moment: Moment) -> Result<()> {
        let scripted =
            SCRIPT.with_borrow_mut(|script| script.as_mut().and_then(|script| script(name, moment)));
        match scripted.or_else(|| asked(name, moment)) {
            None => Ok(()),
            Some(Fault::Error) => Err(Problem::new(Code::Internal, format!("{name} was made to fail."))),
            Some(Fault::Stall(long)) => {
                crate::store::off_the_reactor(|| std::thread::sleep(long));
                Ok(())
            }
            Some(Fault::Kill) => {
                let _killed =
                    rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
                Err(Problem::new(Code::Internal, format!("{name} was made to kill this process.")))
            }
        }
    }

    /// Whether this mistake is to be made.
    pub fn mistake(name: &'static str) -> bool {
        static ASKED: OnceLock<Option<String>> = OnceLock::new();
        MISTAKE.with_borrow(|current| current.as_deref() == Some(name))
            || ASKED.get_or_init(|| std::env::var("OUTTRAY_MISTAKE").ok()).as_deref() == Some(name)
    }

    /// A fault from the environment, and the times at which it happens: the n-th, or always.
    struct Asked {
        fault: Fault,
        nth: Option<u32>,
        passed: u32,
    }

    fn asked(name: &'static str, moment: Moment) -> Option<Fault> {
        static ASKED: OnceLock<Mutex<HashMap<String, Asked>>> = OnceLock::new();
        let asked =
            ASKED.get_or_init(|| Mutex::new(read(&std::env::var("OUTTRAY_FAULTS").unwrap_or_default())));
        let mut asked = asked.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.is_empty() {
            return None;
        }
        let side = if moment == Moment::Before { "before" } else { "after" };
        let here = asked.get_mut(&format!("{name}.{side}"))?;
        here.passed += 1;
        here.nth.is_none_or(|nth| nth == here.passed).then_some(here.fault)
    }

    /// Reads a list of faults. One that cannot be read is an error of the test that wrote it, told on the log.
    fn read(list: &str) -> HashMap<String, Asked> {
        let mut faults = HashMap::new();
        for text in list.split(',').map(str::trim).filter(|text| !text.is_empty()) {
            match one(text) {
                Some((point, asked)) => {
                    faults.insert(point, asked);
                }
                None => tracing::error!(text, "this fault cannot be read"),
            }
        }
        faults
    }

    fn one(text: &str) -> Option<(String, Asked)> {
        let (point, what) = text.split_once('=')?;
        let (what, nth) = match what.split_once('@') {
            Some((what, nth)) => (what, Some(nth.parse().ok()?)),
            None => (what, None),
        };
        let fault = match what.split_once(':') {
            Some(("stall", ms)) => Fault::Stall(Duration::from_millis(ms.parse().ok()?)),
            None if what == "error" => Fault::Error,
            None if what == "kill" => Fault::Kill,
            _ => return None,
        };
        Some((point.to_owned(), Asked { fault, nth, passed: 0 }))
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_list_of_faults_is_read() {
            let faults =
                read("intend.after=kill@2, send_upload.before=stall:1500,claim.before=error,nonsense");
            assert_eq!(faults.len(), 3);
            assert_eq!((faults["intend.after"].fault, faults["intend.after"].nth), (Fault::Kill, Some(2)));
            assert_eq!(faults["send_upload.before"].fault, Fault::Stall(Duration::from_millis(1_500)));
        }

        #[test]
        fn a_script_decides_on_its_own_thread_only() {
            script(Some(Box::new(|name, moment| {
                (name == "claim" && moment == Moment::After).then_some(Fault::Error)
            })));
            assert!(point("claim", Moment::Before).is_ok() && point("claim", Moment::After).is_err());
            assert!(
                std::thread::spawn(|| point("claim", Moment::After)).join().is_ok_and(|point| point.is_ok())
            );
            script(None);
        }
    }
}

pub use switch::*;
