//! Secrets this program makes for itself, one a file, readable by its user alone.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use crate::failure::Failure;

/// A secret in its file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    /// The secret.
    pub(crate) text: String,
    /// There was none before.
    pub(crate) made: bool,
}

/// The secret in the file; a new one is made where there is none. Of processes that start together all get the same.
///
/// It is on the disk before it is used, since what is encrypted with a lost key is lost too.
pub(crate) fn kept_or_new(path: &Path, fresh: impl FnOnce() -> String) -> Result<Kept, Failure> {
    let told = |error: io::Error| Failure::failed(format!("{}: {error}", path.display()));
    let read = || fs::read_to_string(path).map(|text| text.trim().to_owned());
    let (text, made) = match read() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            make(path, &fresh()).map_err(told)?;
            (read(), true)
        }
        known => (known, false),
    };
    let text = text.map_err(told)?;
    Ok(Kept { text, made })
}

/// Makes the file whole or not at all; leaves one that is there by now as it is.
fn make(path: &Path, secret: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    let draft = path.with_extension(format!("{}.new", std::process::id()));
    let written = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&draft)
        .and_then(|mut file| {
            // The mode above counts for new files only.
            file.set_permissions(Permissions::from_mode(0o600))?;
            file.write_all(secret.as_bytes())?;
            file.write_all(b"\n")?;
            file.sync_all()
        })
        .and_then(|()| match fs::hard_link(&draft, path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            linked => linked,
        });
    let removed = fs::remove_file(&draft);
    written.and(removed)?;
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_made_once_and_readable_by_its_user_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data/master.key");
        let kept = |fresh: &str| kept_or_new(&path, || fresh.to_owned()).unwrap();
        let first = |made| Kept {
            text: "first".to_owned(),
            made,
        };
        assert_eq!(kept("first"), first(true));
        assert_eq!(kept("second"), first(false));
        for (path, allowed) in [(&*path, 0o600), (path.parent().unwrap(), 0o700)] {
            let mode = fs::metadata(path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, allowed, "{}", path.display());
        }
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn an_existing_secret_is_never_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("master.key");
        fs::write(&path, "theirs\n").unwrap();
        make(&path, "ours").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs\n");
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_named() {
        let error = kept_or_new(Path::new("/dev/null/master.key"), || "x".to_owned());
        assert!(
            error
                .unwrap_err()
                .to_string()
                .starts_with("/dev/null/master.key: ")
        );
    }
}
