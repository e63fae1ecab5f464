//! Folders as hostile commands leave them.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;

use super::*;

struct Place {
    outside: tempfile::TempDir,
    folder: tempfile::TempDir,
}

/// Creates a folder next to another one, which holds a secret and must not change.
fn place() -> Place {
    let place = Place { outside: tempfile::tempdir().unwrap(), folder: tempfile::tempdir().unwrap() };
    std::fs::create_dir(place.outside.path().join("sub")).unwrap();
    for file in ["secret", "sub/secret"] {
        std::fs::write(place.outside.path().join(file), "SECRET").unwrap();
    }
    place
}

impl Place {
    fn open(&self) -> UntrustedFolder {
        UntrustedFolder::open(self.folder.path()).unwrap()
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn is_untouched(&self) -> bool {
        let names = |folder: PathBuf| std::fs::read_dir(folder).unwrap().count();
        let kept = |file| std::fs::read_to_string(self.outside.path().join(file)).is_ok_and(|text| text == "SECRET");
        kept("secret")
            && kept("sub/secret")
            && names(self.outside.path().to_owned()) == 2
            && names(self.outside.path().join("sub")) == 1
    }
}

/// The ways by which a folder can be left without `..`.
fn plant_links(place: &Place) -> [&'static str; 4] {
    std::fs::create_dir_all(place.at("real/deep")).unwrap();
    symlink(place.outside.path().join("secret"), place.at("file")).unwrap();
    symlink(place.outside.path(), place.at("folder")).unwrap();
    symlink(place.outside.path(), place.at("real/deep/folder")).unwrap();
    ["file", "folder/secret", "folder/sub/secret", "real/deep/folder/secret"]
}

#[test]
fn no_link_is_followed_at_any_depth() {
    let place = place();
    let folder = place.open();
    for path in plant_links(&place) {
        let error = folder.read(path, 100).unwrap_err().to_string();
        assert!(error.contains("symbolic link") || error.contains("regular file"), "{path}: {error}");
        assert!(!folder.has_file(path), "{path}");
        // A link that is the last step is replaced by the file; the others are refused.
        assert!(folder.create(path, b"changed").is_err(), "{path}");
        assert_eq!(folder.write(path, b"changed").is_ok(), path == "file", "{path}");
        assert_eq!(folder.remove_file(path).is_ok(), path == "file", "{path}");
    }
    for path in ["folder", "folder/sub", "real/deep/folder"] {
        assert!(folder.folder(path).is_err() && folder.entries(path, 100).is_err(), "{path}");
        assert!(folder.create_folders(format!("{path}/new/folder")).is_err(), "{path}");
    }
    assert!(UntrustedFolder::open(&place.at("folder")).is_err());
    assert!(place.is_untouched());
}

#[test]
fn steps_opened_one_by_one_follow_no_link_either() {
    let place = place();
    let folder = place.open();
    for path in plant_links(&place) {
        let opened = step_by_step(&folder.handle, Path::new(path), OFlags::RDONLY | OFlags::NOFOLLOW, Mode::empty());
        assert!(opened.is_err(), "{path}");
    }
    std::fs::write(place.at("real/deep/own"), "own").unwrap();
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW;
    assert!(step_by_step(&folder.handle, Path::new("real/deep/own"), flags, Mode::empty()).is_ok());
}

#[test]
fn a_path_cannot_leave_by_its_words() {
    let place = place();
    let up = format!("../{}/secret", place.outside.path().file_name().unwrap().display());
    let absolute = place.outside.path().join("secret").display().to_string();
    for path in [up.as_str(), absolute.as_str(), "a/../../x"] {
        assert!(place.open().read(path, 100).is_err(), "{path}");
        assert!(place.open().write(path, b"x").is_err(), "{path}");
        assert!(place.open().create_folders(path).is_err(), "{path}");
    }
    assert!(place.is_untouched());
}

#[test]
fn only_regular_files_of_bounded_size_are_read() {
    let place = place();
    let folder = place.open();
    fs::mknodat(fs::CWD, place.at("pipe"), FileType::Fifo, Mode::from_raw_mode(0o644), 0).unwrap();
    let _socket = UnixListener::bind(place.at("socket")).unwrap();
    std::fs::create_dir(place.at("directory")).unwrap();
    for name in ["pipe", "socket", "directory", "absent"] {
        assert!(folder.read(name, 100).is_err(), "{name}");
    }
    assert_eq!((folder.kind("pipe"), folder.kind("absent")), (Some(Kind::Other), None));
    // As long as a disk, and takes no place on it.
    File::create(place.at("huge")).unwrap().set_len(1 << 40).unwrap();
    assert_eq!(folder.read("huge", 1000).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    assert_eq!(folder.read_start("huge", 1000).unwrap().len(), 1000);
    std::fs::write(place.at("own"), "1234").unwrap();
    assert_eq!(folder.read("own", 4).unwrap(), b"1234");
    assert!(folder.read("own", 3).is_err());
}

#[test]
fn lists_are_bounded() {
    let place = place();
    for name in ["b", "a", "c"] {
        std::fs::write(place.at(name), "").unwrap();
    }
    symlink("/etc", place.at("d")).unwrap();
    let names: Vec<_> = place.open().entries("", 4).unwrap();
    let kinds = [("a", Kind::File), ("b", Kind::File), ("c", Kind::File), ("d", Kind::Link)];
    assert_eq!(names, kinds.map(|(name, kind)| (OsString::from(name), kind)));
    assert!(place.open().entries("", 3).is_err());
    let mut seen = 0;
    assert!(place.open().walk(3, &mut |_| seen += 1).is_err());
    assert!(place.open().walk(4, &mut |_| ()).is_ok());
}

#[test]
fn a_walk_notices_every_change_and_ends() {
    let place = place();
    let stamps = || {
        let mut stamps = Vec::new();
        place.open().walk(1000, &mut |entry| stamps.push((entry.path, entry.stamp))).unwrap();
        stamps
    };
    std::fs::create_dir(place.at("sub")).unwrap();
    std::fs::write(place.at("sub/file"), "1").unwrap();
    let before = stamps();
    assert_eq!(before, stamps());
    // With the length and the time that it had.
    let file = File::options().write(true).open(place.at("sub/file")).unwrap();
    let time = file.metadata().unwrap().modified().unwrap();
    io::Write::write_all(&mut &file, b"2").unwrap();
    file.set_modified(time).unwrap();
    assert_ne!(before, stamps());
    let mut deep = place.folder.path().to_owned();
    for _ in 0..DEEPEST + 2 {
        deep.push("d");
    }
    std::fs::create_dir_all(deep).unwrap();
    assert!(place.open().walk(10_000, &mut |_| ()).is_err());
}

#[test]
fn a_file_is_replaced_and_keeps_its_permissions() {
    let place = place();
    std::fs::write(place.at("script"), "old").unwrap();
    std::fs::set_permissions(place.at("script"), PermissionsExt::from_mode(0o750)).unwrap();
    place.open().create_folders("a/b").unwrap();
    for path in ["script", "a/b/new"] {
        place.open().write(path, b"new").unwrap();
        assert_eq!(std::fs::read_to_string(place.at(path)).unwrap(), "new");
    }
    assert_eq!(std::fs::metadata(place.at("script")).unwrap().permissions().mode() & 0o777, 0o750);
    assert_eq!(place.open().entries("", 10).unwrap().len(), 2, "nothing is left of the writing");
}

#[test]
fn a_link_is_resolved_as_long_as_it_stays_inside() {
    let place = place();
    std::fs::create_dir_all(place.at(".bin")).unwrap();
    std::fs::create_dir_all(place.at("jest/bin")).unwrap();
    std::fs::write(place.at("jest/bin/jest.js"), "").unwrap();
    symlink("../jest/bin/jest.js", place.at(".bin/jest")).unwrap();
    symlink(place.outside.path().join("secret"), place.at(".bin/outside")).unwrap();
    let up = format!("../../{}/secret", place.outside.path().file_name().unwrap().display());
    symlink(up, place.at(".bin/up")).unwrap();
    let found = |name| place.open().behind_links(Path::new("/seen"), format!(".bin/{name}"));
    assert_eq!(found("jest"), Some(PathBuf::from("/seen/jest/bin/jest.js")));
    assert_eq!((found("outside"), found("up"), found("absent")), (None, None, None));
}

#[test]
fn a_tree_is_removed_whatever_is_in_it_and_links_are_not_followed() {
    let place = place();
    plant_links(&place);
    std::fs::create_dir_all(place.at("locked/in")).unwrap();
    std::fs::write(place.at("locked/in/file"), "").unwrap();
    for (path, mode) in [("locked/in", 0o555), ("locked", 0o000), ("real", 0o000)] {
        std::fs::set_permissions(place.at(path), PermissionsExt::from_mode(mode)).unwrap();
    }
    remove_tree(place.folder.path()).unwrap();
    assert!(!place.folder.path().exists());
    assert!(place.is_untouched());
    remove_tree(place.folder.path()).unwrap();
}

#[test]
fn a_tree_of_any_depth_is_removed() {
    let place = place();
    let mut here = fs::openat(fs::CWD, place.folder.path(), FOLDER, Mode::empty()).unwrap();
    // Far beyond the length of a path, and beyond how many files a process may have open.
    for _ in 0..1200 {
        fs::mkdirat(&here, "directory", Mode::from_raw_mode(0o755)).unwrap();
        here = fs::openat(&here, "directory", FOLDER, Mode::empty()).unwrap();
    }
    drop(here);
    remove_tree(&place.at("directory")).unwrap();
    assert_eq!(std::fs::read_dir(place.folder.path()).unwrap().count(), 0, "nothing is left beside it");
}

#[test]
fn what_a_link_leads_to_stays_when_the_link_is_cleared() {
    let place = place();
    symlink(place.outside.path(), place.at("folder")).unwrap();
    clear(&place.at("folder")).unwrap();
    assert!(place.at("folder").symlink_metadata().is_err() && place.is_untouched());
}

#[test]
fn a_created_file_replaces_nothing() {
    let place = place();
    let folder = place.open();
    folder.create("new", b"first").unwrap();
    symlink("nowhere", place.at("dangling")).unwrap();
    for path in ["new", "dangling"] {
        assert_eq!(folder.create(path, b"second").unwrap_err().kind(), std::io::ErrorKind::AlreadyExists, "{path}");
    }
    assert_eq!(folder.read("new", 100).unwrap(), b"first");
    assert_eq!(folder.kind("dangling"), Some(Kind::Link));
    let names = folder.entries("", 10).unwrap().into_iter().map(|(name, _)| name);
    assert!(names.eq(["dangling", "new"]), "no draft is left");
}
