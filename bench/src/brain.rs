//! Registering, reading and searching functions, in a small brain and in a large one.

use std::path::Path;
use std::time::{Duration, Instant};

use model::access::Access;
use model::entry::EntryKey;
use model::function::FunctionDraft;
use model::name::EntryName;
use server::app::changesets::drafts::{Intent, Proposal};
use server::app::functions::Which;
use server::app::functions::search;
use server::app::{changesets, functions};
use server::{Config, Ctx};

use crate::functions::{name, source};
use crate::measure::{Times, flush_time, human};
use crate::table::Table;
use crate::{BrainArguments, peer};

/// As many as the peer's published figures are for.
const REGISTERED: usize = 1_000;
const CLOSURE: usize = 100;
const READS: usize = 200;
const BULK_RUNS: usize = 7;

pub(crate) async fn run(arguments: &BrainArguments) -> anyhow::Result<()> {
    let folder = match &arguments.folder {
        Some(folder) => tempfile::tempdir_in(folder)?,
        None => tempfile::tempdir()?,
    };
    println!("a 4 KiB write and flush on this disk: {}", human(flush_time(folder.path())?));
    println!("durability: both sides flush every change (SQLite, power loss survived)");
    println!(
        "one changeset: the median of {BULK_RUNS}, each in an empty brain of its own or one after the other in the large one\n"
    );

    let small = Small::measure(&folder.path().join("small")).await?;
    let large = Large::measure(&folder.path().join("large"), arguments.stored).await?;
    let peer = match &arguments.babyagi_python {
        Some(python) => {
            let home = folder.path().join("babyagi");
            std::fs::create_dir(&home)?;
            Some(peer::run(python, &home, arguments.peer_seconds)?)
        }
        None => {
            println!("without BabyAGI: no `--babyagi-python` was given\n");
            None
        }
    };
    print(&small, &large, peer.as_ref(), arguments.stored);
    Ok(())
}

/// A brain that starts empty.
struct Small {
    one_changeset: Duration,
    one_by_one: Times,
    closure: Times,
}

impl Small {
    async fn measure(home: &Path) -> anyhow::Result<Small> {
        // A brain of its own each time; the first also pays for what a process does once.
        let mut one_changeset = Times::default();
        for n in 0..BULK_RUNS {
            let bulk = open(&home.join(format!("bulk{n}"))).await?;
            let start = Instant::now();
            register(&bulk, 0..REGISTERED).await?;
            one_changeset.0.push(start.elapsed());
            bulk.close().await;
        }
        let one_changeset = one_changeset.percentile(50);

        let ctx = open(&home.join("single")).await?;
        let one_by_one = one_by_one(&ctx, 0..REGISTERED).await?;
        let closure = closure(&ctx, REGISTERED).await?;
        ctx.close().await;
        Ok(Small { one_changeset, one_by_one, closure })
    }
}

/// A brain that holds many functions already.
struct Large {
    fill: Duration,
    open: Duration,
    first_search: Duration,
    one_changeset: Duration,
    one_by_one: Times,
    read: Times,
    closure: Times,
    searches: Vec<(&'static str, Times)>,
}

impl Large {
    async fn measure(home: &Path, stored: usize) -> anyhow::Result<Large> {
        const PORTION: usize = 10_000;
        let ctx = open(home).await?;
        let start = Instant::now();
        for from in (0..stored).step_by(PORTION) {
            register(&ctx, from..(from + PORTION).min(stored)).await?;
        }
        let fill = start.elapsed();
        ctx.close().await;

        let start = Instant::now();
        let ctx = open(home).await?;
        ctx.store.revision().await?;
        let opened = start.elapsed();
        let start = Instant::now();
        search::search(&ctx, &Access::of_command_line(), "warm up", 10).await?;
        let first_search = start.elapsed();
        let searches = searches(&ctx, stored).await?;

        let read = read(&ctx, stored).await?;
        let mut one_changeset = Times::default();
        for n in 0..BULK_RUNS {
            let from = stored + n * REGISTERED;
            let start = Instant::now();
            register(&ctx, from..from + REGISTERED).await?;
            one_changeset.0.push(start.elapsed());
        }
        let one_changeset = one_changeset.percentile(50);
        let next = stored + BULK_RUNS * REGISTERED;
        let one_by_one = one_by_one(&ctx, next..next + REGISTERED).await?;
        let closure = closure(&ctx, next + REGISTERED).await?;
        ctx.close().await;
        Ok(Large { fill, open: opened, first_search, one_changeset, one_by_one, read, closure, searches })
    }
}

async fn open(home: &Path) -> anyhow::Result<Ctx> {
    std::fs::create_dir_all(home)?;
    Ok(Ctx::open(Config::of(home.to_owned(), None, None)?).await?)
}

async fn register(ctx: &Ctx, numbers: std::ops::Range<usize>) -> anyhow::Result<()> {
    let intents = numbers.map(|n| Intent::function(FunctionDraft::of_source(source(n, None)))).collect();
    changesets::register(ctx, &Access::of_command_line(), &Proposal::of("fill", intents)).await?;
    Ok(())
}

async fn one_by_one(ctx: &Ctx, numbers: std::ops::Range<usize>) -> anyhow::Result<Times> {
    let mut times = Times::default();
    for n in numbers {
        let start = Instant::now();
        register(ctx, n..n + 1).await?;
        times.0.push(start.elapsed());
    }
    Ok(times)
}

/// Point look-ups all over the brain.
async fn read(ctx: &Ctx, stored: usize) -> anyhow::Result<Times> {
    let mut times = Times::default();
    for n in 0..READS {
        let key = EntryKey::function(EntryName::new(&name(n * 7919 % stored))?);
        let start = Instant::now();
        functions::version(ctx, &Access::of_command_line(), &key, Which::Live).await?;
        times.0.push(start.elapsed());
    }
    Ok(times)
}

/// A chain in which each function calls the one before, read from its end.
async fn closure(ctx: &Ctx, first: usize) -> anyhow::Result<Times> {
    let chain = (first..first + CLOSURE).map(|n| {
        let calls = (n > first).then(|| name(n - 1));
        Intent::function(FunctionDraft::of_source(source(n, calls.as_deref())))
    });
    let proposal = Proposal::of("chain", chain.collect());
    changesets::register(ctx, &Access::of_command_line(), &proposal).await?;
    let root = EntryName::new(&name(first + CLOSURE - 1))?;
    let mut times = Times::default();
    for _ in 0..READS {
        let start = Instant::now();
        let reached = functions::closure(ctx, &Access::of_command_line(), &root).await?;
        times.0.push(start.elapsed());
        anyhow::ensure!(reached.len() == CLOSURE, "the closure has {} functions", reached.len());
    }
    Ok(times)
}

async fn searches(ctx: &Ctx, stored: usize) -> anyhow::Result<Vec<(&'static str, Times)>> {
    let mut kinds = vec![
        ("a full name", Times::default()),
        ("part of a name", Times::default()),
        ("a misspelt word", Times::default()),
        ("a sentence", Times::default()),
    ];
    for n in 0..READS {
        let full = name(n * 104_729 % stored);
        let words: Vec<&str> = full.split('_').collect();
        let misspelt = words[1].chars().rev().take(2).chain(words[1].chars().skip(2)).collect::<String>();
        let queries = [
            full.clone(),
            format!("{}_{}", words[0], &words[1][..words[1].len().min(3)]),
            misspelt,
            format!("how do I {} every {} {}", words[0], words[1], words[2]),
        ];
        for (query, (_, times)) in queries.iter().zip(&mut kinds) {
            let start = Instant::now();
            search::search(ctx, &Access::of_command_line(), query, 10).await?;
            times.0.push(start.elapsed());
        }
    }
    Ok(kinds)
}

fn print(small: &Small, large: &Large, peer: Option<&peer::Peer>, stored: usize) {
    let large_head = format!("{stored} stored");
    let mut table = Table::new(&["work", "empty brain", &large_head, "BabyAGI 0.1.4", "ratio (empty brain)"]);
    let shipped = peer.and_then(|peer| peer.register_as_shipped);
    let bare = peer.and_then(|peer| peer.register_bare);
    let each = |total: Duration| total / REGISTERED as u32;
    let mean = |times: &Times| times.0.iter().sum::<Duration>() / times.0.len().max(1) as u32;
    let rate = |time: Duration| format!("{:.0}/s", 1.0 / time.as_secs_f64());
    let per_item = |item: Option<peer::PerItem>| match item {
        Some(item) => format!("{:.1}/s (of {})", 1.0 / item.each.as_secs_f64(), item.count),
        None => "–".to_owned(),
    };
    let ratio = |other: Option<Duration>, ours: Duration| match other {
        Some(other) => format!("{:.0}×", other.as_secs_f64() / ours.as_secs_f64()),
        None => "–".to_owned(),
    };
    for (what, item) in [("as shipped", shipped), ("bare engine", bare)] {
        table.row(vec![
            format!("register {REGISTERED} in one changeset, peer {what}"),
            rate(each(small.one_changeset)),
            rate(each(large.one_changeset)),
            per_item(item),
            ratio(item.map(|item| item.each), each(small.one_changeset)),
        ]);
        table.row(vec![
            format!("register {REGISTERED} one by one, peer {what}"),
            rate(mean(&small.one_by_one)),
            rate(mean(&large.one_by_one)),
            per_item(item),
            ratio(item.map(|item| item.each), mean(&small.one_by_one)),
        ]);
    }
    let closure = peer.and_then(|peer| peer.closure_of_100);
    table.row(vec![
        format!("read a closure of {CLOSURE}, p50"),
        human(small.closure.percentile(50)),
        human(large.closure.percentile(50)),
        closure.map_or_else(|| "–".to_owned(), human),
        ratio(closure, small.closure.percentile(50)),
    ]);
    let alone =
        |what: String, value: String| vec![what, "–".to_owned(), value, "–".to_owned(), "–".to_owned()];
    table.row(alone("read one function, p50".to_owned(), human(large.read.percentile(50))));
    table.row(alone("fill, 10,000 a changeset".to_owned(), human(large.fill)));
    table.row(alone("open".to_owned(), human(large.open)));
    table.row(alone("first search, which builds the index".to_owned(), human(large.first_search)));
    for (kind, times) in &large.searches {
        table.row(alone(
            format!("search by {kind}, p50 / p99"),
            format!("{} / {}", human(times.percentile(50)), human(times.percentile(99))),
        ));
    }
    table.print();
}
