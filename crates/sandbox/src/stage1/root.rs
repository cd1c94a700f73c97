//! The file system a zygote and its cells see: an empty, read-only root with the shown paths bound into it read-only, four
//! harmless devices, certificates, and a place where each cell mounts its own files. There is no `/proc`: containers often
//! refuse it, and Python does without.

use std::fs::{self, File};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{FileExt, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::CWD;
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags, mount, mount_change,
    move_mount, open_tree, unmount,
};

use crate::stage1::plan::{CERTIFICATES, PLACE, Plan};
use crate::stage1::{Step, StepError};
use crate::sys::{MountAttributes, set_mount_attributes, set_tree_attributes};

/// Where the new root is built. Every system has it, and what it hides is not needed any more by then.
const BUILDING_SITE: &str = "/tmp";
const DEVICES: [&str; 4] = ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"];
/// Enough for the directories and links that lead to the shown paths, and for the certificates.
const ROOT_OPTIONS: &std::ffi::CStr = c"size=4m,nr_inodes=4096,mode=0755";

const READ_ONLY: MountAttributes =
    MountAttributes::READ_ONLY.and(MountAttributes::NO_SUID).and(MountAttributes::NO_DEVICES);
const DEVICE: MountAttributes =
    MountAttributes::READ_ONLY.and(MountAttributes::NO_SUID).and(MountAttributes::NO_EXEC);

/// Small files that libraries look for.
const FILES: [(&str, &str); 3] = [
    ("/etc/passwd", "cell:x:65534:65534::/private/cell/home:\n"),
    ("/etc/group", "cell:x:65534:\n"),
    ("/etc/hosts", "127.0.0.1 localhost\n"),
];

/// A shown path, taken out of the old root before anything is mounted over it.
enum Piece {
    Tree { path: PathBuf, tree: OwnedFd, directory: bool },
    Link { path: PathBuf, target: PathBuf },
}

pub(super) fn build(plan: &Plan, certificates: Option<&File>) -> Result<(), StepError> {
    let everything = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change("/", everything).step("keep mounts to ourselves")?;
    let pieces = take_pieces(&plan.shown)?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    mount("tmpfs", BUILDING_SITE, "tmpfs", flags, ROOT_OPTIONS).step("mount an empty root")?;
    for piece in &pieces {
        put(piece)?;
    }
    write_files()?;
    if let Some(certificates) = certificates {
        copy_certificates(certificates)?;
    }
    change_root()?;
    set_mount_attributes(c"/", READ_ONLY.and(MountAttributes::NO_EXEC)).step("make the root read-only")
}

fn take_pieces(shown: &[PathBuf]) -> Result<Vec<Piece>, StepError> {
    let mut pieces = Vec::new();
    for path in shown {
        pieces.push(take(path, READ_ONLY)?);
    }
    for path in DEVICES {
        pieces.push(take(Path::new(path), DEVICE)?);
    }
    Ok(pieces)
}

fn take(path: &Path, attributes: MountAttributes) -> Result<Piece, StepError> {
    let look = || format!("look at `{}`", path.display());
    let kind = fs::symlink_metadata(path).step(look())?;
    if kind.is_symlink() {
        return Ok(Piece::Link { path: path.to_owned(), target: fs::read_link(path).step(look())? });
    }
    let flags =
        OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_RECURSIVE;
    let tree = open_tree(CWD, path, flags).step(format!("bind `{}`", path.display()))?;
    set_tree_attributes(tree.as_fd(), attributes).step(format!("make `{}` read-only", path.display()))?;
    Ok(Piece::Tree { path: path.to_owned(), tree, directory: kind.is_dir() })
}

fn put(piece: &Piece) -> Result<(), StepError> {
    match piece {
        Piece::Link { path, target } => {
            let at = site(path);
            make_parent(&at)?;
            symlink(target, &at).step(format!("link `{}`", path.display()))
        }
        Piece::Tree { path, tree, directory } => {
            let at = site(path);
            make_parent(&at)?;
            let made = if *directory { fs::create_dir_all(&at) } else { fs::write(&at, "") };
            made.step(format!("make a place for `{}`", path.display()))?;
            move_mount(tree.as_fd(), "", CWD, &at, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)
                .step(format!("show `{}`", path.display()))
        }
    }
}

fn write_files() -> Result<(), StepError> {
    for (path, text) in FILES {
        let at = site(Path::new(path));
        make_parent(&at)?;
        fs::write(&at, text).step(format!("write `{path}`"))?;
    }
    fs::create_dir_all(site(Path::new(PLACE))).step("make the place of cells")?;
    for (path, name) in [("/tmp", "tmp"), ("/dev/shm", "shm")] {
        let at = site(Path::new(path));
        // A shown path may lie in `/tmp`; then there is no place for the link, and cells use their home.
        if !at.exists() {
            symlink(format!("{PLACE}/{name}"), &at).step(format!("link `{path}`"))?;
        }
    }
    Ok(())
}

/// Copied, because a bind is one more mount for every cell to copy.
fn copy_certificates(certificates: &File) -> Result<(), StepError> {
    let at = site(Path::new(CERTIFICATES));
    make_parent(&at)?;
    // Others read the same file at the same time, so it has no position that could be relied on.
    let length = certificates.metadata().step("look at the certificates")?.len();
    let mut text = vec![0; usize::try_from(length).unwrap_or_default()];
    certificates.read_exact_at(&mut text, 0).step("read the certificates")?;
    fs::write(&at, text).step(format!("write `{CERTIFICATES}`"))
}

fn site(path: &Path) -> PathBuf {
    Path::new(BUILDING_SITE).join(path.strip_prefix("/").unwrap_or(path))
}

fn make_parent(at: &Path) -> Result<(), StepError> {
    let parent = at.parent().unwrap_or(at);
    fs::create_dir_all(parent).step(format!("make `{}`", parent.display()))
}

fn change_root() -> Result<(), StepError> {
    std::env::set_current_dir(BUILDING_SITE).step("go to the new root")?;
    // With the same path twice the old root ends up on top of the new one, from where it is taken off.
    rustix::process::pivot_root(".", ".").step("change the root")?;
    unmount(".", UnmountFlags::DETACH).step("let go of the old root")?;
    std::env::set_current_dir("/").step("go to `/`")
}
