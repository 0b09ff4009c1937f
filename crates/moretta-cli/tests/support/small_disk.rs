//! A file system in memory, for disks that are full or can't be written.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// As long as this lives, it is mounted.
pub(crate) struct SmallDisk<'d>(&'d Path);

impl<'d> SmallDisk<'d> {
    /// Nothing where this user may not mount.
    pub(crate) fn mount(place: &'d Path, options: &str) -> Option<Self> {
        fs::create_dir_all(place).expect("a folder to mount on");
        let done = Command::new("mount")
            .args(["-t", "tmpfs", "-o", options, "tmpfs"])
            .arg(place)
            .stderr(Stdio::null())
            .status();
        done.is_ok_and(|status| status.success()).then_some(Self(place))
    }

    /// The same one with another size, and what it holds.
    pub(crate) fn resize(&self, size: &str) {
        let options = format!("remount,size={size}");
        let done = Command::new("mount").args(["-o", &options]).arg(self.0).status();
        assert!(done.is_ok_and(|status| status.success()), "a mount that can be mounted again");
    }

    /// Fills it, but for so many bytes.
    pub(crate) fn fill(&self, but: u64) {
        let room = |bytes: u64| fs::write(self.0.join("filler"), vec![0; bytes as usize]).is_ok();
        // What is written of a file that does not fit takes the room that there is.
        let _ = room(64 << 20);
        let taken = fs::metadata(self.0.join("filler")).expect("a filler").len();
        assert!(room(taken.saturating_sub(but)), "it shrinks");
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}
