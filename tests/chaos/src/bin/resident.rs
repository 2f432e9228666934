//! An engine as the app has it: started, and there until it is asked to end. It says when it has started.
#![allow(clippy::print_stdout, reason = "its output is what it is for")]

use std::time::Duration;

use outtray_core::engine::Options;
use outtray_core::problem::Result;
use outtray_core::{Code, Engine, Problem};

fn main() -> Result<()> {
    // The runtime lets threads go that had waited for the disk; soon, so that nobody has to wait for that either.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_keep_alive(Duration::from_millis(200))
        .enable_all()
        .build();
    match runtime {
        Ok(runtime) => runtime.block_on(reside()),
        Err(error) => Err(Problem::new(Code::Internal, "The engine could not start.").because(error)),
    }
}

async fn reside() -> Result<()> {
    let engine = Engine::open(Options::from_environment())?;
    engine.start();
    println!("started");
    if let Ok(mut asked) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        asked.recv().await;
    }
    engine.stop(Duration::from_secs(2)).await;
    Ok(())
}
