//! Public data sets from their public homes: fetched, compared with their checksums, and put in a folder.
//!
//! A file appears in the folder only after its SHA-256 is found right; what is cut short or altered on the way never
//! does. Where the makers' archive has never been at hand, its checksum is unknown: then the files inside that are known
//! are compared, and the archive's own checksum is reported for the user to compare.

use qwd_core::{Control, Error, Observer, Progress, Result};
use qwd_data::convert::{Original, tar};
use qwd_data::{Input, Reading};
use qwd_store::save_atomically;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A file at a data set's home.
#[derive(Debug, Clone, Copy)]
pub struct Remote {
    /// Its name in the folder, and at a mirror.
    pub name: &'static str,
    /// Where it is, in the order to try.
    pub urls: &'static [&'static str],
    /// Its SHA-256, where it is known.
    pub sha256: Option<&'static str>,
    /// If it is an archive to unpack: the files wanted of it, with their SHA-256 where it is known.
    pub members: &'static [(&'static str, Option<&'static str>)],
}

/// A file that was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// Where it lies now.
    pub path: PathBuf,
    /// Its length.
    pub n_bytes: u64,
    /// Its SHA-256.
    pub sha256: String,
    /// Whether the checksum was known and right.
    pub checked: bool,
}

/// No original is as large; whoever sends more means no good.
const MAX_BYTES: u64 = 4 << 30;

/// How long the other side may take to answer at all.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Fetches the originals of a data set into a folder, from their homes or from a mirror that has them under their names.
pub fn fetch(
    original: &Original,
    mirror: Option<&str>,
    folder: &Path,
    observer: &dyn Observer,
) -> Result<Vec<Fetched>> {
    let files = remotes(original.name)?;
    fetch_files(files, mirror, folder, observer)
}

/// Fetches files one after the other.
pub fn fetch_files(
    files: &[Remote],
    mirror: Option<&str>,
    folder: &Path,
    observer: &dyn Observer,
) -> Result<Vec<Fetched>> {
    std::fs::create_dir_all(folder).map_err(|e| Error::io(folder, "create", e))?;
    let config = ureq::Agent::config_builder()
        .timeout_connect(Some(TIMEOUT))
        .timeout_recv_response(Some(TIMEOUT))
        .user_agent(concat!("qwd/", env!("CARGO_PKG_VERSION")));
    let agent: ureq::Agent = config.build().into();
    let mut fetched = Vec::new();
    for remote in files {
        let path = folder.join(remote.name);
        let own = |mirror: &str| vec![format!("{}/{}", mirror.trim_end_matches('/'), remote.name)];
        let urls = mirror.map_or_else(|| remote.urls.iter().map(ToString::to_string).collect(), own);
        fetched.push(fetch_first(&agent, &urls, remote.sha256, &path, observer)?);
        unpack(remote, &path, folder)?;
    }
    Ok(fetched)
}

/// Tries one address after the other; the last one's error is told.
fn fetch_first(
    agent: &ureq::Agent,
    urls: &[String],
    sha256: Option<&str>,
    path: &Path,
    observer: &dyn Observer,
) -> Result<Fetched> {
    let mut outcome = Err(Error::internal(format!("{} has no address", path.display())));
    for url in urls {
        outcome = fetch_one(agent, url, sha256, path, observer);
        if matches!(outcome, Ok(_) | Err(Error::Interrupted)) {
            return outcome;
        }
    }
    outcome
}

fn fetch_one(
    agent: &ureq::Agent,
    url: &str,
    sha256: Option<&str>,
    path: &Path,
    observer: &dyn Observer,
) -> Result<Fetched> {
    let refused = |e: ureq::Error| Error::io(url, "fetch", io::Error::other(e.to_string()));
    let mut response = agent.get(url).call().map_err(refused)?;
    let total = response.body().content_length().unwrap_or(0);
    let mut body = response.body_mut().with_config().limit(MAX_BYTES).reader();
    let mut hash = Sha256::new();
    let mut n_bytes = 0;
    let mut digest = String::new();
    save_atomically(path, |file| {
        n_bytes = copy(&mut body, file, &mut hash, url, total, observer)?;
        if total > 0 && n_bytes != total {
            let what = format!("{url} ended after {n_bytes} of {total} bytes");
            return Err(Error::bad_data(what, "try again, or fetch the file yourself and pass --from"));
        }
        digest = hex(&hash.finalize_reset());
        check(url, &digest, sha256)
    })?;
    Ok(Fetched { path: path.to_path_buf(), n_bytes, sha256: digest, checked: sha256.is_some() })
}

fn copy(
    from: &mut impl Read,
    to: &mut dyn Write,
    hash: &mut Sha256,
    url: &str,
    total: u64,
    observer: &dyn Observer,
) -> Result<u64> {
    let mut buffer = vec![0; 1 << 16];
    let mut done = 0;
    loop {
        let n = from.read(&mut buffer).map_err(|e| Error::io(url, "fetch", e))?;
        if n == 0 {
            return Ok(done);
        }
        hash.update(&buffer[..n]);
        to.write_all(&buffer[..n]).map_err(|e| Error::io(url, "save", e))?;
        done += n as u64;
        let progress = Progress { stage: "downloading", done, total, ..Progress::default() };
        if observer.progress(&progress) == Control::Stop {
            return Err(Error::Interrupted);
        }
    }
}

/// Takes the wanted files out of an archive, whatever folders they lie in there.
fn unpack(remote: &Remote, archive: &Path, folder: &Path) -> Result<()> {
    if remote.members.is_empty() {
        return Ok(());
    }
    let mut n_found = 0;
    tar::each_file(Input::open(archive)?, &mut Reading::default(), |name, bytes| {
        let base = name.rsplit('/').next().unwrap_or(name);
        let Some((member, sha256)) = remote.members.iter().find(|(member, _)| *member == base) else { return Ok(()) };
        check(&format!("{}: {member}", archive.display()), &hex(&Sha256::digest(&bytes)), *sha256)?;
        let path = folder.join(member);
        n_found += 1;
        save_atomically(&path, |file| file.write_all(&bytes).map_err(|e| Error::io(&path, "write", e)))
    })?;
    if n_found < remote.members.len() {
        let what =
            format!("{} holds {n_found} of the {} files that are needed", archive.display(), remote.members.len());
        return Err(Error::bad_data(what, "fetch the data set yourself and pass --from"));
    }
    std::fs::remove_file(archive).map_err(|e| Error::io(archive, "remove", e))
}

fn check(what: &str, found: &str, expected: Option<&str>) -> Result<()> {
    match expected {
        Some(expected) if expected != found => {
            let what = format!("{what} has the SHA-256 {found}, not {expected}");
            Err(Error::bad_data(what, "try again, or fetch the data set yourself and pass --from"))
        }
        _ => Ok(()),
    }
}

/// Returns the SHA-256 of a file.
pub fn sha256_of(path: &Path) -> Result<String> {
    let mut hash = Sha256::new();
    let mut file = File::open(path).map_err(|e| Error::io(path, "open", e))?;
    io::copy(&mut file, &mut hash).map_err(|e| Error::io(path, "read", e))?;
    Ok(hex(&hash.finalize()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The files at a data set's home.
pub fn remotes(dataset: &str) -> Result<&'static [Remote]> {
    let found = HOMES.iter().find(|(name, _)| *name == dataset).map(|(_, files)| *files);
    found.ok_or_else(|| {
        Error::param("dataset", dataset, "one that has a public home; fetch it yourself and pass --from")
    })
}

const fn whole(name: &'static str, urls: &'static [&'static str], sha256: Option<&'static str>) -> Remote {
    Remote { name, urls, sha256, members: &[] }
}

/// Where the data sets are, and what they must be.
const HOMES: &[(&str, &[Remote])] = &[
    (
        "20newsgroups",
        &[whole(
            "20news-bydate.tar.gz",
            &[
                "http://qwone.com/~jason/20Newsgroups/20news-bydate.tar.gz",
                "https://ndownloader.figshare.com/files/5975967",
            ],
            Some("8f1b2514ca22a5ade8fbb9cfa5727df95fa587f4c87b786e15c759fa66d95610"),
        )],
    ),
    (
        "mnist",
        &[
            whole(
                "train-images-idx3-ubyte.gz",
                &["https://storage.googleapis.com/cvdf-datasets/mnist/train-images-idx3-ubyte.gz"],
                Some("440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"),
            ),
            whole(
                "train-labels-idx1-ubyte.gz",
                &["https://storage.googleapis.com/cvdf-datasets/mnist/train-labels-idx1-ubyte.gz"],
                Some("3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"),
            ),
            whole(
                "t10k-images-idx3-ubyte.gz",
                &["https://storage.googleapis.com/cvdf-datasets/mnist/t10k-images-idx3-ubyte.gz"],
                Some("8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"),
            ),
            whole(
                "t10k-labels-idx1-ubyte.gz",
                &["https://storage.googleapis.com/cvdf-datasets/mnist/t10k-labels-idx1-ubyte.gz"],
                Some("f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"),
            ),
        ],
    ),
    (
        "reuters21578",
        &[whole(
            "reuters21578.tar.gz",
            &[
                "https://kdd.ics.uci.edu/databases/reuters21578/reuters21578.tar.gz",
                "http://www.daviddlewis.com/resources/testcollections/reuters21578/reuters21578.tar.gz",
            ],
            Some("3bae43c9b14e387f76a61b6d82bf98a4fb5d3ef99ef7e7075ff2ccbcf59f9d30"),
        )],
    ),
    (
        "nfcorpus",
        &[Remote {
            name: "nfcorpus.tar.gz",
            urls: &["https://www.cl.uni-heidelberg.de/statnlpgroup/nfcorpus/nfcorpus.tar.gz"],
            sha256: None,
            members: &[
                ("train.docs", None),
                ("dev.docs", None),
                ("test.docs", None),
                ("train.titles.queries", Some("b3ac36c83fc871d3478e4f8f9a2d11a56bb41b1e489c0b0fdf2a8d333bc69396")),
                ("dev.titles.queries", Some("548d2deef61bdc5a9db538f12679c503eb1b117c8ad7d8517493fdb4d5741ca6")),
                ("test.titles.queries", Some("be3c7287d8784ab6f24e215693cdb0716468ff090252147415abe26a056a2648")),
                ("train.2-1-0.qrel", Some("9f35a72d56ed19c1df5165442b5cbeef3a29b7dc76f35f636654516c13039e89")),
                ("dev.2-1-0.qrel", Some("7828a511ee263e09cb4d9e01c8f7adb4101877f1bc84af2b370af9854d72ffe2")),
                ("test.2-1-0.qrel", Some("854da1b7a95e32383e508a89bf62848dd12b7aed28d2e35796e0190dfb97c3ae")),
            ],
        }],
    ),
    (
        "rcv1",
        &[
            whole(
                "rcv1_train.multiclass.bz2",
                &["https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multiclass/rcv1_train.multiclass.bz2"],
                None,
            ),
            whole(
                "rcv1_test.multiclass.bz2",
                &["https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multiclass/rcv1_test.multiclass.bz2"],
                None,
            ),
        ],
    ),
];
