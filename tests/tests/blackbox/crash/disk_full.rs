//! The disk under the embedded database is full for a while.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;

use serde_json::json;
use vintem_tests::Backend;
use vintem_tests::guard::Watchdog;
use vintem_tests::server::Server;
use vintem_tests::site::Site;
use vintem_tests::wait;

use super::{Acknowledged, Load};

/// Makes the disk full and empty again.
trait Disk {
    /// Nothing more can be written.
    fn fill(&self, server: &Server);
    /// On a full one, only so many bytes more can be written.
    fn leave(&self, server: &Server, bytes: u64);
    /// There is room again.
    fn empty(&self, server: &Server);
}

/// A small file system of its own under the data folder: needs the right to mount one.
struct SmallDisk {
    folder: PathBuf,
    watchdog: Watchdog,
}

impl SmallDisk {
    const SIZE: &str = "size=32m";

    fn mount(folder: PathBuf) -> Option<Self> {
        fs::create_dir_all(&folder).unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", Self::SIZE, "tmpfs"])
            .arg(&folder)
            .stderr(Stdio::null())
            .status();
        mounted.is_ok_and(|status| status.success()).then(|| {
            let watchdog = Watchdog::new("umount --lazy \"$1\"", &[&folder]).unwrap();
            Self { folder, watchdog }
        })
    }

    fn ballast(&self) -> PathBuf {
        self.folder.join("ballast")
    }
}

impl Disk for SmallDisk {
    fn fill(&self, _: &Server) {
        let mut ballast = fs::File::create(self.ballast()).unwrap();
        let error = loop {
            if let Err(error) = ballast.write_all(&[0; 4096]) {
                break error;
            }
        };
        assert_eq!(error.kind(), ErrorKind::StorageFull);
    }

    fn leave(&self, _: &Server, bytes: u64) {
        let ballast = fs::OpenOptions::new()
            .write(true)
            .open(self.ballast())
            .unwrap();
        let size = ballast.metadata().unwrap().len();
        ballast.set_len(size - bytes).unwrap();
    }

    fn empty(&self, _: &Server) {
        fs::remove_file(self.ballast()).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        self.watchdog.bite();
    }
}

/// A limit to how large a file the server may write: what everybody may set, and nearly the same to a database.
struct FileLimit {
    /// The database's log, the file that grows.
    log: PathBuf,
}

impl FileLimit {
    fn new(site: &Site) -> Self {
        Self {
            log: site.folder().join("data/vintem.db-wal"),
        }
    }

    fn set(server: &Server, bytes: &str) {
        let status = Command::new("prlimit")
            .args([
                "--pid",
                &server.pid().to_string(),
                &format!("--fsize={bytes}:"),
            ])
            .status();
        assert!(status.is_ok_and(|status| status.success()), "prlimit");
    }
}

impl Disk for FileLimit {
    fn fill(&self, server: &Server) {
        // Less than the database's log has already.
        Self::set(server, "4096");
    }

    fn leave(&self, server: &Server, bytes: u64) {
        let size = self.log.metadata().unwrap().len();
        Self::set(server, &(size + bytes).to_string());
    }

    fn empty(&self, server: &Server) {
        Self::set(server, "unlimited");
    }
}

#[test]
fn a_full_disk_is_answered_503_and_nothing_acknowledged_is_lost() {
    let site = Site::new(Backend::Sqlite);
    match SmallDisk::mount(site.folder().join("data")) {
        Some(disk) => check(&site, &disk),
        None => check(&site, &FileLimit::new(&site)),
    }
}

#[test]
fn a_limit_to_files_is_like_a_full_disk() {
    let site = Site::new(Backend::Sqlite);
    check(&site, &FileLimit::new(&site));
}

fn check(site: &Site, disk: &dyn Disk) {
    // Writing beyond the limit shall fail, as on a full disk, rather than kill.
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; exec \"$@\"", "sh"]);
    let mut server = site
        .serve_through(shell)
        .unwrap_or_else(|refusal| panic!("{}", refusal.stderr));
    let merchant = site.merchant(&server);
    let acknowledged = Mutex::new(Acknowledged::default());
    let load = Load {
        merchant: &merchant,
        acknowledged: &acknowledged,
        persistent: true,
    };
    load.run(|_| {
        wait::until("payments go through", wait::SOON, || {
            (acknowledged.lock().unwrap().paid.len() >= 20).then_some(())
        });
        disk.fill(&server);
        wait::until("writes are refused", wait::SOON, || {
            (acknowledged.lock().unwrap().refused.get(&503) >= Some(&10)).then_some(())
        });
        let refused = merchant.live.create(&json!({ "amountCents": 4990 }));
        refused.error(503);
        assert!(refused.header("Retry-After").is_some());
        wait::until("not ready", wait::SOON, || {
            (server.anonymous().get("/readyz").status == 503).then_some(())
        });
        assert_eq!(server.anonymous().get("/healthz").status, 200);
        assert_eq!(
            merchant.live.get("/v1/store").status,
            200,
            "what is there can be read"
        );
        disk.leave(&server, 64 << 10);
        for _ in 0..5 {
            assert_eq!(
                server.anonymous().get("/readyz").status,
                503,
                "too little room for more than a few payments"
            );
        }
        disk.empty(&server);
        wait::until("ready again", wait::SOON, || {
            (server.anonymous().get("/readyz").status == 200).then_some(())
        });
        let before = acknowledged.lock().unwrap().paid.len();
        wait::until("payments go through again", wait::SOON, || {
            (acknowledged.lock().unwrap().paid.len() >= before + 20).then_some(())
        });
    });
    let acknowledged = acknowledged.into_inner().unwrap();
    assert!(
        acknowledged.refused.keys().all(|status| *status == 503),
        "{:?}",
        acknowledged.refused
    );
    acknowledged.assert_kept(&merchant);
    server.kill();
    let server = site.serve();
    acknowledged.assert_kept(&merchant.at(server.address()));
}
