//! Output that waits for its reader: in memory first, then in a file that has no name.
//!
//! A reader of stdout may sleep for a minute while the daemon goes on, and the daemon gives up a client that does not
//! read. So everything is taken, up to [`Limits`]; only then is nothing more read, and the daemon's own memory of past
//! events has to do. Bytes come out in the order they went in.

use std::collections::VecDeque;
use std::env;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

/// How much may wait, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// In memory.
    pub(super) memory: usize,
    /// In the file besides.
    pub(super) file: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory: 64 << 20,
            file: 4 << 30,
        }
    }
}

/// How much is read back from the file at once, in bytes.
const BLOCK_BYTES: usize = 64 * 1024;

/// Some bytes for one of the targets.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) target: usize,
    pub(super) bytes: Vec<u8>,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Backlog {
    limits: Limits,
    directory: PathBuf,
    /// What is written first.
    front: VecDeque<Block>,
    front_bytes: usize,
    /// What follows it.
    spool: Option<Spool>,
    /// What follows that: the file takes no more. It is as little as whoever asks [`Backlog::is_full`] makes it.
    back: VecDeque<Block>,
    back_bytes: usize,
}

impl Backlog {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            // The streams are where the environment is asked; this is asked only when it is needed.
            directory: PathBuf::new(),
            front: VecDeque::new(),
            front_bytes: 0,
            spool: None,
            back: VecDeque::new(),
            back_bytes: 0,
        }
    }

    /// Everything that waits, in bytes.
    pub(super) fn waiting(&self) -> u64 {
        let memory = (self.front_bytes + self.back_bytes) as u64;
        memory + self.spool.as_ref().map_or(0, |spool| spool.waiting)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.front.is_empty() && self.back.is_empty() && self.spool.is_none()
    }

    /// Nothing should be added any more, though what is added all the same is kept.
    pub(super) fn is_full(&self) -> bool {
        !self.back.is_empty()
    }

    pub(super) fn push(&mut self, block: Block) {
        let length = block.bytes.len();
        let in_order = self.spool.is_none() && self.back.is_empty();
        if in_order && self.front_bytes + length <= self.limits.memory {
            self.front_bytes += length;
            self.front.push_back(block);
        } else if !self.back.is_empty() || !self.spill(&block) {
            self.back_bytes += length;
            self.back.push_back(block);
        }
    }

    /// Puts a block into the file; false if it takes no more: there is none, its disk or its cap is full.
    fn spill(&mut self, block: &Block) -> bool {
        if self.spool.is_none() {
            let directory = if self.directory.as_os_str().is_empty() {
                env::temp_dir()
            } else {
                self.directory.clone()
            };
            self.spool = Spool::create(&directory, self.limits.file).ok();
        }
        let spilled = self
            .spool
            .as_mut()
            .is_some_and(|spool| spool.push(block).is_ok());
        // A file that took nothing stands for nothing: `is_empty` goes by its presence.
        self.spool.take_if(|spool| spool.waiting == 0);
        spilled
    }

    /// What is to be written next.
    ///
    /// # Errors
    /// The target, and why its bytes cannot be read back from the file. They are lost.
    pub(super) fn pop(&mut self) -> Result<Option<Block>, (usize, io::Error)> {
        if let Some(block) = self.front.pop_front() {
            self.front_bytes -= block.bytes.len();
            return Ok(Some(block));
        }
        if let Some(spool) = &mut self.spool {
            let block = spool.pop();
            // The space on the disk goes back at once.
            self.spool.take_if(|spool| spool.waiting == 0);
            return block.map(Some);
        }
        let block = self.back.pop_front();
        self.back_bytes -= block.as_ref().map_or(0, |block| block.bytes.len());
        Ok(block)
    }
}

/// The file: a ring of as many bytes as it may have.
#[derive(Debug)]
struct Spool {
    file: File,
    cap: u64,
    /// Where the next byte is read from.
    start: u64,
    waiting: u64,
    /// Whose bytes they are, in order.
    owners: VecDeque<(usize, u64)>,
}

impl Spool {
    fn create(directory: &Path, cap: u64) -> io::Result<Self> {
        Ok(Self {
            file: nameless(directory)?,
            cap,
            start: 0,
            waiting: 0,
            owners: VecDeque::new(),
        })
    }

    fn push(&mut self, block: &Block) -> io::Result<()> {
        let length = block.bytes.len() as u64;
        if self.waiting + length > self.cap {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let (bytes, at) = (&block.bytes, (self.start + self.waiting) % self.cap);
        let before_end = usize::try_from(self.cap - at)
            .unwrap_or(usize::MAX)
            .min(bytes.len());
        self.file.write_all_at(&bytes[..before_end], at)?;
        self.file.write_all_at(&bytes[before_end..], 0)?;
        self.waiting += length;
        match self.owners.back_mut() {
            Some((owner, count)) if *owner == block.target => *count += length,
            _ => self.owners.push_back((block.target, length)),
        }
        Ok(())
    }

    fn pop(&mut self) -> Result<Block, (usize, io::Error)> {
        let Some((target, left)) = self.owners.front_mut() else {
            return Err((0, io::ErrorKind::UnexpectedEof.into()));
        };
        let target = *target;
        let until_end = (self.cap - self.start).min(*left);
        let count = usize::try_from(until_end)
            .unwrap_or(BLOCK_BYTES)
            .min(BLOCK_BYTES);
        let mut bytes = vec![0; count];
        let read = self.file.read_exact_at(&mut bytes, self.start);
        *left -= count as u64;
        if *left == 0 {
            self.owners.pop_front();
        }
        self.waiting -= count as u64;
        self.start = (self.start + count as u64) % self.cap;
        match read {
            Ok(()) => Ok(Block { target, bytes }),
            Err(error) => Err((target, error)),
        }
    }
}

/// A new file that only this process can reach, and that is gone with it.
fn nameless(directory: &Path) -> io::Result<File> {
    let mode = Mode::RUSR | Mode::WUSR;
    let flags = OFlags::RDWR | OFlags::CLOEXEC;
    #[cfg(target_os = "linux")]
    if let Ok(file) = rustix::fs::open(directory, flags | OFlags::TMPFILE, mode) {
        return Ok(file.into());
    }
    // Not every file system knows files without a name: one is made and taken away again.
    for attempt in 0..100 {
        let name = format!(".dcodectl-{}-{attempt}", std::process::id());
        let path = directory.join(name);
        match rustix::fs::open(&path, flags | OFlags::CREATE | OFlags::EXCL, mode) {
            Ok(file) => {
                std::fs::remove_file(&path)?;
                return Ok(file.into());
            }
            Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn backlog(memory: usize, file: u64) -> Backlog {
        Backlog::new(Limits { memory, file })
    }

    fn block(target: usize, bytes: &[u8]) -> Block {
        Block {
            target,
            bytes: bytes.to_vec(),
        }
    }

    #[test]
    fn memory_comes_first_then_the_file_then_a_warning() {
        let mut backlog = backlog(4, 6);
        backlog.push(block(0, b"abcd"));
        assert!(backlog.spool.is_none());
        backlog.push(block(0, b"efg"));
        backlog.push(block(1, b"hij"));
        assert_eq!(
            (backlog.spool.as_ref().unwrap().waiting, backlog.is_full()),
            (6, false)
        );
        backlog.push(block(1, b"kl"));
        assert!(backlog.is_full());
        assert_eq!(backlog.waiting(), 12);
        for expected in [block(0, b"abcd"), block(0, b"efg")] {
            assert_eq!(backlog.pop().unwrap(), Some(expected));
        }
        // Nothing overtakes what waits behind the file.
        backlog.push(block(0, b"m"));
        for expected in [block(1, b"hij"), block(1, b"kl"), block(0, b"m")] {
            assert_eq!(backlog.pop().unwrap(), Some(expected));
        }
        assert!(backlog.is_empty() && !backlog.is_full());
        assert_eq!(backlog.waiting(), 0);
        assert_eq!(backlog.pop().unwrap(), None);
        backlog.push(block(0, b"n"));
        assert_eq!(backlog.front.len(), 1);
    }

    #[test]
    fn without_a_file_everything_is_kept_and_the_warning_comes_at_once() {
        let mut backlog = backlog(4, 1 << 20);
        backlog.directory = PathBuf::from("/nonexistent");
        backlog.push(block(0, b"abcd"));
        backlog.push(block(0, b"e"));
        assert!(backlog.is_full() && backlog.spool.is_none());
        assert_eq!(backlog.pop().unwrap(), Some(block(0, b"abcd")));
        assert_eq!(backlog.pop().unwrap(), Some(block(0, b"e")));
        assert!(backlog.is_empty());
    }

    #[test]
    fn the_file_is_private_and_has_no_name() {
        use std::os::unix::fs::MetadataExt;
        let folder = tempfile::tempdir().unwrap();
        let data = nameless(folder.path()).unwrap().metadata().unwrap();
        assert_eq!((data.mode() & 0o777, data.nlink()), (0o600, 0));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    proptest! {
        #[test]
        fn bytes_come_out_in_the_order_they_went_in(
            steps in prop::collection::vec((0..3_usize, 1..40_usize), 1..200),
        ) {
            let mut backlog = backlog(50, 100);
            let (mut pushed, mut popped) = (Vec::new(), Vec::new());
            let mut byte = 0_u8;
            for (target, count) in steps {
                if target == 2 {
                    if let Some(block) = backlog.pop().unwrap() {
                        popped.extend(block.bytes.iter().map(|byte| (block.target, *byte)));
                    }
                    continue;
                }
                let bytes: Vec<u8> = (0..count).map(|at| byte.wrapping_add(u8::try_from(at).unwrap())).collect();
                byte = byte.wrapping_add(7);
                pushed.extend(bytes.iter().map(|byte| (target, *byte)));
                backlog.push(Block { target, bytes });
                prop_assert_eq!(backlog.waiting(), (pushed.len() - popped.len()) as u64);
            }
            while let Some(block) = backlog.pop().unwrap() {
                popped.extend(block.bytes.iter().map(|byte| (block.target, *byte)));
            }
            prop_assert_eq!(pushed, popped);
        }
    }
}
