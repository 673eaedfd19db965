//! The web page on the corpus inside the program: an index in a folder of its own, served while the user is there.

use crate::interrupt;
use qwd_core::{Error, Result};
use qwd_data::Dataset;
use qwd_model::Model;
use qwd_online::OnlineParams;
use qwd_search::{IndexParams, Writer};
use qwd_server::{Config, IndexConfig, serve};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// How long the page may take to be there.
const PATIENCE: Duration = Duration::from_secs(20);

/// A page that is being served; its folder goes with it.
pub(crate) struct DemoPage {
    pub(crate) address: SocketAddr,
    folder: PathBuf,
}

impl DemoPage {
    /// Makes the index and serves it on a free port of this machine.
    pub(crate) fn start(model: &Model, dataset: &Dataset) -> Result<Self> {
        let parent = std::env::temp_dir();
        interrupt::will_write(&parent.join("qwd-demo"));
        let folder = parent.join(format!(".qwd-demo.partial-{}", std::process::id()));
        let mut writer = Writer::create(folder.join("demo"), model, &IndexParams::default())?;
        for document in &dataset.documents {
            writer.add(document.clone())?;
        }
        writer.commit()?;
        drop(writer);
        model.save(folder.join("model.qwd"))?;
        let (say, hear) = mpsc::channel();
        let config = config(&folder);
        let served = folder.clone();
        std::thread::spawn(move || {
            let failed = say.clone();
            let ended = serve(config, Box::new(std::io::sink()), move |address| {
                say.send(Ok(address)).ok();
            });
            match ended {
                Err(e) => failed.send(Err(e)).unwrap_or_default(),
                // The process was told to stop.
                Ok(()) => {
                    std::fs::remove_dir_all(served).ok();
                    std::process::exit(0);
                }
            }
        });
        let late = || Error::internal("the page did not start");
        let address = hear.recv_timeout(PATIENCE).map_err(|_| late())??;
        Ok(Self { address, folder })
    }

    /// Opens the page in a browser, where there is a desktop to open it on.
    pub(crate) fn open_browser(&self) {
        let has_desktop = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
        let opener = match std::env::consts::OS {
            "macos" => "open",
            "linux" if has_desktop => "xdg-open",
            _ => return,
        };
        let url = format!("http://{}", self.address);
        // The address has been told: that no browser opens is no error.
        let _ = Command::new(opener).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    }
}

impl Drop for DemoPage {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.folder).ok();
    }
}

/// One user on one machine: every click is learned from at once.
fn config(folder: &std::path::Path) -> Config {
    let index = IndexConfig {
        name: "demo".into(),
        path: folder.join("demo"),
        model: Some(folder.join("model.qwd")),
        leave_out_damaged: false,
    };
    Config {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        indexes: vec![index],
        learn_every_seconds: 1.0,
        online: OnlineParams { min_feedback: 1, ..OnlineParams::default() },
        ..Config::default()
    }
}
