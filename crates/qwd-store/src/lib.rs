//! Bytes on disk: all-or-nothing saves, checksums, the append-only log, size limits. It knows no models.
//!
//! | module | question it answers |
//! |---|---|
//! | [`atomic`] | how does a file change without ever being half written? |
//! | [`disk`] | which operations of the file system does a save rely on? |
//! | [`checksum`] | how is a flipped bit found? |
//! | [`lock`] | how does only one process at a time change something? |
//! | [`log`] | how is a record never lost once it was acknowledged? |
//! | [`mapped`] | how is a large file read without being read? |
//! | [`limits`] | how is a file read without trusting its size? |

pub mod atomic;
pub mod checksum;
pub mod disk;
pub mod limits;
pub mod lock;
pub mod log;
pub mod mapped;

pub use atomic::{save_atomically, save_atomically_on};
pub use checksum::{HashingReader, HashingWriter, crc32};
pub use disk::{Disk, RealDisk};
pub use limits::{open_regular, read_file};
pub use lock::lock_file;
pub use log::Log;
pub use mapped::Mapped;
