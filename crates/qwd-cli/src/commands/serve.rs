//! `qwd serve`: an index over HTTP, with a web page, learning from what its users click.

use crate::exit::Outcome;
use crate::surroundings::Surroundings;
use clap::Args;
use qwd_core::Result;
use qwd_server::{Config, IndexConfig, serve};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// The folder of the index; more of them, and all other settings, come from --config.
    #[arg(value_name = "INDEX", required_unless_present = "config")]
    index: Option<PathBuf>,
    /// The address to listen on [default: 127.0.0.1:7700]; port 0 takes a free one. Beyond this machine it takes a token.
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    /// A TOML file with indexes, tokens, limits and how to learn.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The model that learning starts from, with its training state [default: that of the index].
    #[arg(long, value_name = "MODEL", requires = "index")]
    model: Option<PathBuf>,
    /// Serve what is sound of an index with damaged segments, for reading only.
    #[arg(long, requires = "index")]
    leave_out_damaged: bool,
    /// Answer only; take no feedback.
    #[arg(long)]
    no_learning: bool,
}

pub(crate) fn run(args: &ServeArgs, here: &Surroundings) -> Outcome {
    let config = args.to_config()?;
    serve(config, Box::new(std::io::stderr()), |address| {
        // Nobody may be there to read where we listen; that stops nothing.
        let _ = here.output.show(format_args!("listening on http://{address}"));
        let _ = here.output.answer(&serde_json::json!({"listening": address.to_string()}));
    })?;
    Ok(())
}

impl ServeArgs {
    fn to_config(&self) -> Result<Config> {
        let mut config = match &self.config {
            Some(path) => Config::open(path)?,
            None => Config::default(),
        };
        if let Some(path) = &self.index {
            let index = IndexConfig {
                name: name_of(path),
                path: path.clone(),
                model: self.model.clone(),
                leave_out_damaged: self.leave_out_damaged,
            };
            config.indexes.insert(0, index);
        }
        config.listen = self.listen.unwrap_or(config.listen);
        config.learn &= !self.no_learning;
        // A token in the environment stands in no file and in no list of processes.
        let from_environment = |name: &str| std::env::var(name).ok().filter(|token| !token.is_empty());
        for (token, name) in [
            (&mut config.tokens.read, "QWD_READ_TOKEN"),
            (&mut config.tokens.write, "QWD_WRITE_TOKEN"),
            (&mut config.tokens.admin, "QWD_ADMIN_TOKEN"),
        ] {
            *token = from_environment(name).or(token.take());
        }
        config.indexes.iter().try_for_each(|index| qwd_search::Index::require(&index.path))?;
        Ok(config)
    }
}

/// An index is called by its folder.
fn name_of(path: &Path) -> String {
    let folder = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    folder.file_name().map_or_else(|| "index".to_string(), |name| name.to_string_lossy().into_owned())
}
