//! apalis-sqlite as a contender: as many workers as it is told, each with its default settings, over one pool. It has a
//! key of sorts, no lane and no fence. Its own set-up asks for `synchronous=OFF`, so the pool is opened anew after it, as
//! durable as everybody's.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use apalis::prelude::*;
use apalis_sqlite::{SqliteConnectOptions, SqlitePool, SqliteStorage};
use sqlx::sqlite::{SqliteJournalMode, SqliteSynchronous};

async fn deliver(_entry: String, left: Data<Arc<AtomicU32>>) -> Result<(), BoxDynError> {
    left.fetch_sub(1, Ordering::SeqCst);
    Ok(())
}

fn asked(word: &str) -> String {
    let mut words = std::env::args().skip_while(|said| said.strip_prefix("--") != Some(word));
    words.nth(1).unwrap_or_else(|| panic!("--{word} is missing"))
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(run()).expect("it runs");
}

async fn run() -> Result<(), BoxDynError> {
    let entries: u32 = asked("entries").parse()?;
    let workers: u32 = asked("workers").parse()?;
    let path = PathBuf::from(asked("folder")).join("apalis.db");
    let options = SqliteConnectOptions::new()
        .filename(&path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::from_str(&asked("synchronous"))?)
        .busy_timeout(Duration::from_secs(5));
    let making = SqlitePool::connect_with(options.clone()).await?;
    SqliteStorage::setup(&making).await?;
    making.close().await;
    let pool = SqlitePool::connect_with(options).await?;
    let durability: i64 = sqlx::query_scalar("PRAGMA synchronous").fetch_one(&pool).await?;
    assert_eq!(durability == 2, asked("synchronous") == "FULL");

    let mut storage = SqliteStorage::<String>::new(&pool);
    let payload = "x".repeat(1024);
    let began = Instant::now();
    for _ in 0..entries {
        storage.push(payload.clone()).await?;
    }
    let enqueue = began.elapsed();
    let left = Arc::new(AtomicU32::new(entries));
    let began = Instant::now();
    for number in 0..workers {
        let worker = WorkerBuilder::new(format!("worker-{number}"))
            .backend(SqliteStorage::<String>::new(&pool))
            .data(Arc::clone(&left))
            .build(deliver);
        tokio::spawn(worker.run());
    }
    // What is measured ends with the last entry; that it is written down comes a little later, and is not counted.
    while left.load(Ordering::SeqCst) > 0 {
        tokio::time::sleep(Duration::from_micros(200)).await;
    }
    println!("enqueue {}\ndeliver {}", enqueue.as_secs_f64(), began.elapsed().as_secs_f64());
    std::process::exit(0);
}
