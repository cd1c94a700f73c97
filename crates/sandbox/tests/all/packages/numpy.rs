use serde_json::json;

use super::cells;
use crate::support::World;

async fn returned(cells: &World, body: &str) -> serde_json::Value {
    cells.returned(&format!("import numpy as np\n\ndef f():\n    {}", body.trim())).await
}

#[tokio::test]
async fn arrays_are_calculated_with() {
    let cells = cells(&["numpy"]).await;
    let told = returned(
        &cells,
        "
    a = np.arange(12, dtype=float).reshape(3, 4)
    return [a.sum(axis=0).tolist(), (a @ a.T)[0].tolist(), np.where(a > 9, -1, a)[2].tolist()]",
    )
    .await;
    assert_eq!(told, json!([[12.0, 15.0, 18.0, 21.0], [14.0, 38.0, 62.0], [8.0, 9.0, -1.0, -1.0]]));
}

#[tokio::test]
async fn linear_systems_are_solved() {
    let cells = cells(&["numpy"]).await;
    let told = returned(
        &cells,
        "
    a = np.random.default_rng(1).random((200, 200)) + 200 * np.eye(200)
    x = np.linalg.solve(a, np.ones(200))
    values, vectors = np.linalg.eigh(a + a.T)
    return [bool(np.allclose(a @ x, 1)), bool(np.allclose((a + a.T) @ vectors, vectors * values))]",
    )
    .await;
    assert_eq!(told, json!([true, true]));
}

#[tokio::test]
async fn scalars_leave_the_cell_as_plain_numbers() {
    let cells = cells(&["numpy"]).await;
    let told = returned(
        &cells,
        "return {'sum': np.arange(4).sum(), 'mean': np.float32(1.5), 'all': np.bool_(True), 'name': np.str_('a')}",
    )
    .await;
    assert_eq!(told, json!({ "sum": 6, "mean": 1.5, "all": true, "name": "a" }));
    let raised = cells.raised("import numpy as np\n\ndef f():\n    return {'a': np.zeros(2)}").await;
    assert_eq!(
        raised,
        "selfmade.NotCarried: the result['a'] is a `numpy.ndarray`, which cannot leave the cell; use its `.tolist()`"
    );
}

/// What a cell draws: by the functions of the module, by a generator of its own, and from the standard library.
const DRAW: &str = "import numpy as np

def f():
    import random, secrets, uuid
    return [np.random.rand(), np.random.default_rng().random(), random.random(), secrets.token_hex(8), str(uuid.uuid4())]";

#[tokio::test]
async fn two_cells_draw_different_numbers() {
    let cells = cells(&["numpy", "numpy.random"]).await;
    let (one, other) = (cells.returned(DRAW).await, cells.returned(DRAW).await);
    for place in 0..5 {
        assert_ne!(one[place], other[place]);
    }
}

/// Asks OpenBLAS itself, because a cell has no other way to see its threads.
const THREADS: &str = "def f(wanted):
    import ctypes, os, glob
    os.environ['OPENBLAS_NUM_THREADS'] = str(wanted)
    import numpy as np
    folder = os.path.join(os.path.dirname(np.__path__[0]), 'numpy.libs')
    (library,) = glob.glob(f'{folder}/libscipy_openblas*')
    threads = ctypes.CDLL(library).scipy_openblas_get_num_threads64_()
    a = np.random.default_rng(1).random((600, 600))
    return [threads == min(wanted, len(os.sched_getaffinity(0))), bool(np.allclose(a @ np.linalg.inv(a), np.eye(600)))]";

#[tokio::test]
async fn openblas_calculates_with_one_thread_or_as_many_as_it_is_told_to() {
    let cells = cells(&[]).await;
    for wanted in [1, 2] {
        let mut job = cells.job(THREADS, json!({ "wanted": wanted }));
        job.limits.processes = 8;
        let told = crate::support::returned(cells.run(&job).await.ending);
        assert_eq!(told, json!([true, true]));
    }
}

#[tokio::test]
async fn what_is_too_large_for_the_job_is_reported_as_such() {
    let cells = cells(&["numpy"]).await;
    let mut job = cells.job("import numpy as np\n\ndef f():\n    return np.ones(10**9).sum()", json!({}));
    job.limits.memory_bytes = 256 << 20;
    let told = format!("{:?}", cells.run(&job).await.ending);
    assert!(told.contains("Unable to allocate") || told == "OutOfMemory", "{told}");
}
