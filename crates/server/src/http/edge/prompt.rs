//! A connection that wakes itself continues immediately.
//!
//! While a handler reads a body, hyper wakes the connection whose task is already running. The runtime would queue that task
//! behind all others and wake another thread for it, which takes longer than most handlers.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures_util::task::AtomicWaker;

/// So often in a row, so that a connection that is never at rest does not keep others from theirs.
const IN_A_ROW: usize = 16;

const AT_REST: u8 = 0;
const AT_WORK: u8 = 1;
/// It was woken while at work.
const WOKEN: u8 = 2;

/// The same future, polled again instead of scheduled again if it is woken while it is polled.
pub(crate) fn prompt<F: Future>(future: F) -> impl Future<Output = F::Output> {
    let wake_state = Arc::new(WakeState::default());
    let waker = Waker::from(Arc::clone(&wake_state));
    let mut future = Box::pin(future);
    std::future::poll_fn(move |context| wake_state.poll(future.as_mut(), &waker, context))
}

#[derive(Default)]
struct WakeState {
    state: AtomicU8,
    task: AtomicWaker,
}

impl WakeState {
    fn poll<F: Future>(
        &self,
        mut future: Pin<&mut F>,
        waker: &Waker,
        context: &Context<'_>,
    ) -> Poll<F::Output> {
        self.task.register(context.waker());
        for _ in 0..IN_A_ROW {
            self.state.store(AT_WORK, Ordering::SeqCst);
            if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(waker)) {
                return Poll::Ready(output);
            }
            let rested = self.state.compare_exchange(AT_WORK, AT_REST, Ordering::SeqCst, Ordering::SeqCst);
            if rested.is_ok() {
                return Poll::Pending;
            }
        }
        self.state.store(AT_REST, Ordering::SeqCst);
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

impl Wake for WakeState {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let woken = self.state.compare_exchange(AT_WORK, WOKEN, Ordering::SeqCst, Ordering::SeqCst);
        if woken == Err(AT_REST) {
            self.task.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// How often the future was polled before it was at rest, whether it ended, and how often its task was woken.
    fn polled(until: usize) -> (usize, bool, usize) {
        let count = Arc::new(Count::default());
        let waker = Waker::from(Arc::clone(&count));
        let mut polls = 0;
        let ended = {
            let restless = std::future::poll_fn(|context| {
                polls += 1;
                context.waker().wake_by_ref();
                if polls < until { Poll::Pending } else { Poll::Ready(()) }
            });
            let mut prompt = Box::pin(prompt(restless));
            prompt.as_mut().poll(&mut Context::from_waker(&waker)).is_ready()
        };
        (polls, ended, count.0.load(Ordering::SeqCst))
    }

    #[test]
    fn one_that_wakes_itself_is_polled_again_at_once() {
        assert_eq!(polled(3), (3, true, 0));
    }

    #[test]
    fn one_that_is_never_at_rest_lets_others_go_first() {
        assert_eq!(polled(100), (IN_A_ROW, false, 1));
    }

    #[test]
    fn one_that_is_at_rest_is_woken_from_outside() {
        let count = Arc::new(Count::default());
        let waker = Waker::from(Arc::clone(&count));
        let (tell, told) = tokio::sync::oneshot::channel();
        let mut prompt = Box::pin(prompt(told));
        assert!(prompt.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        tell.send(()).unwrap();
        assert_eq!(count.0.load(Ordering::SeqCst), 1);
        assert!(prompt.as_mut().poll(&mut Context::from_waker(&waker)).is_ready());
    }
}
