//! effectum as a contender: one queue, one worker that runs as many at once as it is told. It has no key, no lane and no
//! fence, and commits with `synchronous=NORMAL`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use effectum::{Error, Job, JobRunner, Queue, RunningJob, Worker};
use tokio::sync::Notify;

#[derive(Debug)]
struct Left {
    count: AtomicU32,
    none: Notify,
}

async fn deliver(_entry: RunningJob, left: Arc<Left>) -> Result<(), Error> {
    if left.count.fetch_sub(1, Ordering::SeqCst) == 1 {
        left.none.notify_one();
    }
    Ok(())
}

fn asked(word: &str) -> String {
    let mut words = std::env::args().skip_while(|said| said.strip_prefix("--") != Some(word));
    words.nth(1).unwrap_or_else(|| panic!("--{word} is missing"))
}

fn main() {
    let entries: u32 = asked("entries").parse().expect("a number");
    let workers: u16 = asked("workers").parse().expect("a number");
    let path = PathBuf::from(asked("folder")).join("effectum.db");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let queue = Queue::new(&path).await.expect("a queue");
        let payload = vec![b'x'; 1024];
        let began = Instant::now();
        for _ in 0..entries {
            Job::builder("entry").payload(payload.clone()).add_to(&queue).await.expect("it is saved");
        }
        let enqueue = began.elapsed();
        let left = Arc::new(Left { count: AtomicU32::new(entries), none: Notify::new() });
        let began = Instant::now();
        let worker = Worker::builder(&queue, Arc::clone(&left))
            .max_concurrency(workers)
            .jobs([JobRunner::builder("entry", deliver).build()])
            .build()
            .await
            .expect("a worker");
        left.none.notified().await;
        // Waits for the last one to be written down.
        while worker.counts().finished < u64::from(entries) {
            tokio::task::yield_now().await;
        }
        println!("enqueue {}\ndeliver {}", enqueue.as_secs_f64(), began.elapsed().as_secs_f64());
        std::process::exit(0);
    });
}
