//! The connection by which this process hears what others change. When it is lost it is made again; what was missed meanwhile nobody
//! knows, so then everything counts as changed.

use std::future::poll_fn;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::{AsyncMessage, Client, Config, NoTls, Socket};

use super::Postgres;
use super::connect::{Connector, SILENCE};
use super::outbox::CHANNEL;
use crate::changes::Changes;
use crate::db::announcer::Announcer;

/// Between tries to connect: doubled each time, up to the last.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

impl Postgres {
    pub(in crate::db) async fn listen(&self) {
        let mut pause = FIRST_PAUSE;
        let receiving = Receiving(&self.announcer);
        loop {
            match self.receive(&receiving).await {
                Ok(()) => pause = FIRST_PAUSE,
                // The store tells of an outage, once.
                Err(error) => tracing::debug!("cannot listen to other servers: {error}"),
            }
            self.announcer.set_receives_notifications(false);
            wait(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Until the connection is lost.
    async fn receive(&self, receiving: &Receiving<'_>) -> Result<(), tokio_postgres::Error> {
        let (_client, mut notifications) = self.connector.listen().await?;
        receiving.0.set_receives_notifications(true);
        receiving.0.notify(&Changes::everything());
        while let Some(text) = notifications.recv().await {
            let (node, changes) = text.split_once(' ').unwrap_or_default();
            let is_own = receiving.0.node().is_some_and(|own| own.0.simple().to_string() == node);
            if !is_own {
                receiving.0.notify(&Changes::from_text(changes));
            }
        }
        Ok(())
    }
}

/// Whoever stops listening hears nobody any more.
struct Receiving<'a>(&'a Announcer);

impl Drop for Receiving<'_> {
    fn drop(&mut self) {
        self.0.set_receives_notifications(false);
    }
}

impl Connector {
    /// Notifications come for as long as the client is kept.
    async fn listen(&self) -> Result<(Client, mpsc::UnboundedReceiver<String>), tokio_postgres::Error> {
        let mut config = self.config.clone();
        // It sends nothing by which a server that is gone would be noticed.
        config.keepalives_idle(SILENCE);
        match &self.tls {
            Some(tls) => listen(&config, tls.clone()).await,
            None => listen(&config, NoTls).await,
        }
    }
}

async fn listen<T>(
    config: &Config,
    tls: T,
) -> Result<(Client, mpsc::UnboundedReceiver<String>), tokio_postgres::Error>
where
    T: MakeTlsConnect<Socket>,
    T::Stream: Send + 'static,
    <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
{
    let (client, mut connection) = config.connect(tls).await?;
    let (heard, notifications) = mpsc::unbounded_channel();
    // Ends when the client is dropped or the connection lost.
    tokio::spawn(async move {
        while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
            if let AsyncMessage::Notification(notification) = message {
                // Whoever does not read any more has dropped the client, too.
                let _ = heard.send(notification.payload().to_owned());
            }
        }
    });
    client.batch_execute(&format!("listen {CHANNEL}")).await?;
    Ok((client, notifications))
}

#[allow(clippy::disallowed_methods, reason = "a server that restarts tells nobody when it is there again")]
async fn wait(pause: Duration) {
    tokio::time::sleep(pause).await;
}
