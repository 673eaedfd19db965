//! Listening and stopping: connections in, a time limit on every head, and an end that lets requests finish.

use crate::app::App;
use crate::config::Config;
use crate::journal::Journal;
use crate::routes;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use qwd_core::{Error, Result};
use serde_json::json;
use std::future::Future;
use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What a client is told that comes when all connections are taken.
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/// Serves until the process is told to stop (SIGTERM or Ctrl-C). Log lines go to `log`; `ready` hears the address.
pub fn serve(config: Config, log: Box<dyn Write + Send>, ready: impl FnOnce(SocketAddr)) -> Result<()> {
    let app = Arc::new(App::open(config, Journal::new(log))?);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|e| Error::internal(format!("cannot start threads: {e}")))?;
    runtime.block_on(async {
        let listen = app.config.listen;
        let listener = TcpListener::bind(listen).await.map_err(|e| Error::io(listen.to_string(), "listen", e))?;
        let address = listener.local_addr().map_err(|e| Error::io(listen.to_string(), "listen", e))?;
        app.journal.write("info", "listening", json!({"address": address.to_string()}));
        for index in app.indexes() {
            for what in index.snapshot().damaged() {
                app.journal.write("error", "left out", json!({"index": index.name, "what": what}));
            }
        }
        // Signals are taken before anyone hears that we are ready.
        let stop = stop_signal()?;
        ready(address);
        let learning = tokio::spawn(learn_on(Arc::clone(&app)));
        run(&app, listener, stop).await;
        learning.abort();
        Ok(())
    })?;
    // A round of learning that is under way comes to its end: what it writes is whole either way.
    runtime.shutdown_timeout(Duration::from_secs(1));
    app.journal.write("info", "stopped", json!({}));
    Ok(())
}

#[cfg(unix)]
fn stop_signal() -> Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let hear = |kind| signal(kind).map_err(|e| Error::internal(format!("cannot hear signals: {e}")));
    let (mut terminate, mut interrupt) = (hear(SignalKind::terminate())?, hear(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn stop_signal() -> Result<impl Future<Output = ()>> {
    Ok(async {
        tokio::signal::ctrl_c().await.ok();
    })
}

async fn run(app: &Arc<App>, listener: TcpListener, stop: impl Future<Output = ()>) {
    let limits = &app.config.limits;
    let router = routes::router(app);
    let mut http = hyper::server::conn::http1::Builder::new();
    // Without the timer the time limit would be ignored.
    http.timer(TokioTimer::new())
        .header_read_timeout(Duration::from_secs_f64(limits.header_seconds))
        .max_buf_size(1 << 16);
    let open = Arc::new(Semaphore::new(limits.connections));
    let graceful = GracefulShutdown::new();
    tokio::pin!(stop);
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                // Out of file handles, or a client that left at once: the next one may do better.
                Err(_) => {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                    continue;
                }
            },
            () = &mut stop => break,
        };
        let Ok(permit) = Arc::clone(&open).try_acquire_owned() else {
            app.metrics.shed.fetch_add(1, Ordering::Relaxed);
            tokio::spawn(turn_away(stream));
            continue;
        };
        stream.set_nodelay(true).ok();
        let service = TowerToHyperService::new(router.clone());
        let connection = graceful.watch(http.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(hold(permit, connection));
    }
    drop(listener);
    app.is_stopping.store(true, Ordering::SeqCst);
    app.journal.write("info", "stopping", json!({}));
    let drained = tokio::time::timeout(Duration::from_secs_f64(limits.drain_seconds), graceful.shutdown()).await;
    if drained.is_err() {
        app.journal.write("info", "requests were cut off", json!({}));
    }
}

/// Serves one connection, and gives its place back.
async fn hold<E>(permit: OwnedSemaphorePermit, connection: impl Future<Output = Result<(), E>>) {
    // That a client went away is its own affair.
    let _ = connection.await;
    drop(permit);
}

async fn turn_away(mut stream: TcpStream) {
    let answer = async {
        stream.write_all(FULL).await?;
        stream.shutdown().await
    };
    let _ = tokio::time::timeout(Duration::from_secs(1), answer).await;
}

async fn learn_on(app: Arc<App>) {
    if !app.config.learn {
        return;
    }
    let pause = Duration::from_secs_f64(app.config.learn_every_seconds);
    loop {
        tokio::time::sleep(pause).await;
        let app = Arc::clone(&app);
        // A round that panics has been told by the panic itself; the next one may do better.
        let _ = tokio::task::spawn_blocking(move || app.learn()).await;
    }
}
