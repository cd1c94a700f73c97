//! Parts of the standard library that need more of the machine than memory.

use serde_json::json;

use crate::support::World;

async fn returns(body: &str, expected: serde_json::Value) {
    let world = World::new().await;
    assert_eq!(world.returned(body).await, expected);
}

#[tokio::test]
async fn threads_and_tasks_run() {
    let source = "
def f():
    import asyncio
    from concurrent.futures import ThreadPoolExecutor
    with ThreadPoolExecutor(4) as pool:
        squares = list(pool.map(lambda n: n * n, range(5)))
    async def later(n):
        await asyncio.sleep(0)
        return await asyncio.to_thread(lambda: n + 1)
    async def all():
        return await asyncio.gather(*map(later, squares))
    return asyncio.run(all())
";
    returns(source, json!([1, 2, 5, 10, 17])).await;
}

#[tokio::test]
async fn processes_share_work() {
    let source = "
def f():
    import multiprocessing
    fork = multiprocessing.get_context('fork')
    with fork.Pool(2) as pool:
        lengths = pool.map(len, ['a', 'bb', 'ccc'])
    queue = fork.Queue()
    child = fork.Process(target=queue.put, args=('from the child',))
    child.start()
    told = queue.get(timeout=20)
    child.join()
    return [lengths, told, child.exitcode]
";
    returns(source, json!([[1, 2, 3], "from the child", 0])).await;
}

#[tokio::test]
async fn the_interpreter_can_be_started_again() {
    let source = "
def f():
    import subprocess, sys
    ended = subprocess.run([sys.executable, '-I', '-S', '-c', 'print(6 * 7)'], capture_output=True, text=True)
    return [ended.stdout, ended.stderr, ended.returncode]
";
    returns(source, json!(["42\n", "", 0])).await;
}

#[tokio::test]
async fn files_databases_and_time_zones_are_there() {
    let source = "
def f():
    import datetime, sqlite3, tempfile, zoneinfo
    with tempfile.NamedTemporaryFile(suffix='.db') as file:
        with sqlite3.connect(file.name) as db:
            db.execute('pragma journal_mode = wal')
            db.execute('create table t (n)')
            db.executemany('insert into t values (?)', [(1,), (2,)])
        total = sqlite3.connect(file.name).execute('select sum(n) from t').fetchone()
    summer = datetime.datetime(2024, 7, 1, tzinfo=zoneinfo.ZoneInfo('Europe/Oslo'))
    return [total, summer.utcoffset().seconds]
";
    returns(source, json!([{ "$tuple": [3] }, 7200])).await;
}
