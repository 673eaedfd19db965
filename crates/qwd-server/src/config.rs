//! What a server is told: one TOML file, whose parts the command line can override.

use qwd_core::{Error, Result, parameters};
use qwd_online::OnlineParams;
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// The most bytes of a configuration.
const MAX_BYTES: u64 = 1 << 20;

parameters! {
    /// Limits that keep one client from taking what others need.
    pub struct Limits {
        /// The largest body of a request, in bytes.
        pub body_bytes: usize = 1 << 20,
        /// The largest model that can be loaded, in bytes.
        pub model_bytes: usize = 1 << 28,
        /// How long a request may take, its body included, in seconds.
        pub request_seconds: f64 = 10.0,
        /// How long a backup or its restoration may take, in seconds.
        pub backup_seconds: f64 = 3600.0,
        /// How long a client may take to send the head of a request, in seconds.
        pub header_seconds: f64 = 5.0,
        /// How many connections are open at most; further ones are answered 503.
        pub connections: usize = 1024,
        /// How many requests are worked on at once; further ones are answered 503.
        pub in_flight: usize = 64,
        /// How long a stop waits for requests that are being answered, in seconds.
        pub drain_seconds: f64 = 10.0,
        /// The most hits of a search.
        pub hits: usize = 1000,
    }
}

parameters! {
    /// The tokens that clients must show: each may do what those before it may. Without any the server listens on loopback only.
    pub struct Tokens {
        /// For searching.
        pub read: Option<String> = None,
        /// For documents and feedback, too.
        pub write: Option<String> = None,
        /// For models and erasure, too.
        pub admin: Option<String> = None,
    }
}

/// An index that is served.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexConfig {
    /// Its name in requests.
    pub name: String,
    /// Its folder.
    pub path: PathBuf,
    /// The model that learning starts from, with its training state; the index's own if there is none.
    #[serde(default)]
    pub model: Option<PathBuf>,
    /// Whether what is sound of a damaged index is served, for reading only; otherwise it is refused.
    #[serde(default)]
    pub leave_out_damaged: bool,
}

parameters! {
    /// The configuration of a server.
    pub struct Config {
        /// The address to listen on.
        pub listen: SocketAddr = SocketAddr::from(([127, 0, 0, 1], 7700)),
        /// The indexes; the first is asked where a request names none.
        pub indexes: Vec<IndexConfig> = Vec::new(),
        /// The tokens.
        pub tokens: Tokens = Tokens::default(),
        /// Where backups are made over HTTP, a folder for each; without one none are made.
        pub backups: Option<PathBuf> = None,
        /// Where backups are restored to over HTTP, a folder for each index; without one none are restored.
        pub restored: Option<PathBuf> = None,
        /// The limits.
        pub limits: Limits = Limits::default(),
        /// Whether feedback is learned from.
        pub learn: bool = true,
        /// Seconds between two looks whether there is enough feedback to learn from.
        pub learn_every_seconds: f64 = 5.0,
        /// How it is learned from.
        pub online: OnlineParams = OnlineParams::default(),
    }
}

impl Config {
    /// Reads a TOML file; paths in it are relative to it.
    pub fn open(path: &Path) -> Result<Self> {
        let bytes = qwd_store::read_file(path, MAX_BYTES)?;
        let text = String::from_utf8(bytes)
            .map_err(|_| Error::bad_data(format!("{} is not text", path.display()), "write it in UTF-8"))?;
        let mut config: Self = toml::from_str(&text).map_err(|e| {
            let what = format!("{}: {}", path.display(), e.to_string().trim_end());
            Error::bad_data(what, "correct the configuration")
        })?;
        let folder = path.parent().unwrap_or(Path::new("."));
        for index in &mut config.indexes {
            index.path = folder.join(&index.path);
            index.model = index.model.take().map(|model| folder.join(model));
        }
        for path in [&mut config.backups, &mut config.restored] {
            *path = path.take().map(|path| folder.join(path));
        }
        Ok(config)
    }

    /// Refuses what makes no sense or is not safe.
    pub fn check(&self) -> Result<()> {
        let has_token = [&self.tokens.read, &self.tokens.write, &self.tokens.admin].iter().any(|t| t.is_some());
        if !has_token && !self.listen.ip().is_loopback() {
            let expected =
                "an address of this machine alone (127.0.0.1), or a token: set tokens.admin in the configuration";
            return Err(Error::param("listen", self.listen, expected));
        }
        for (name, token) in [("read", &self.tokens.read), ("write", &self.tokens.write), ("admin", &self.tokens.admin)]
        {
            if token.as_ref().is_some_and(|t| t.len() < 16 || !t.chars().all(|c| c.is_ascii_graphic())) {
                return Err(Error::param(format!("tokens.{name}"), "(hidden)", "at least 16 printable characters"));
            }
        }
        let limits = &self.limits;
        for (name, seconds) in [
            ("limits.request_seconds", limits.request_seconds),
            ("limits.backup_seconds", limits.backup_seconds),
            ("limits.header_seconds", limits.header_seconds),
            ("limits.drain_seconds", limits.drain_seconds),
            ("learn_every_seconds", self.learn_every_seconds),
        ] {
            if !(seconds > 0.0 && seconds <= 86_400.0) {
                return Err(Error::param(name, seconds, "more than 0 seconds, at most a day"));
            }
        }
        if limits.connections == 0 || limits.in_flight == 0 || limits.hits == 0 || limits.body_bytes == 0 {
            return Err(Error::param("limits", 0, "at least 1 of each"));
        }
        if self.indexes.is_empty() {
            return Err(Error::param("indexes", "(none)", "at least one index"));
        }
        for (i, index) in self.indexes.iter().enumerate() {
            if index.name.is_empty() || self.indexes[..i].iter().any(|other| other.name == index.name) {
                return Err(Error::param("indexes", &index.name, "a name of its own for each index"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_without_a_token_stays_on_loopback() {
        let index = IndexConfig { name: "main".into(), path: "idx".into(), model: None, leave_out_damaged: false };
        let mut config = Config { indexes: vec![index], ..Config::default() };
        config.check().expect("loopback");
        config.listen = SocketAddr::from(([0, 0, 0, 0], 7700));
        assert!(config.check().is_err());
        config.tokens.read = Some("0123456789abcdef".into());
        config.check().expect("with a token");
        config.tokens.read = Some("short".into());
        let message = config.check().expect_err("a weak token").to_string();
        assert!(!message.contains("short"), "{message}");
    }

    #[test]
    fn unknown_names_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("qwd.toml");
        std::fs::write(&path, "listen = \"127.0.0.1:1\"\n[[indexes]]\nname = \"a\"\npath = \"idx\"\n")
            .expect("written");
        assert_eq!(Config::open(&path).expect("sound").indexes[0].path, folder.path().join("idx"));
        std::fs::write(&path, "listn = 1\n").expect("written");
        assert!(Config::open(&path).expect_err("unknown").to_string().contains("listn"));
    }
}
