//! The first start on an empty database: from clone to first PIX by what is on the screen.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use vintem_tests::Backend;
use vintem_tests::site::Site;

vintem_tests::on_both!(
    the_first_start_shows_how_to_begin,
    a_later_start_shows_nothing_of_it,
    an_installation_can_begin_empty,
);

/// The pasteable lines: everything from the first `curl` to the last, as it stands on the screen.
fn curls(screen: &str) -> Vec<String> {
    screen
        .lines()
        .map(str::trim)
        .filter(|line| line.contains("curl "))
        .map(str::to_owned)
        .collect()
}

fn the_first_start_shows_how_to_begin(on: Backend) {
    let site = Site::new(on).without("VINTEM_BOOTSTRAP");
    let server = site.serve();
    let screen = server.stdout();
    let base = format!("http://{}", server.address());
    assert!(screen.contains(&format!("{base}/dashboard")), "{screen}");
    assert!(
        screen.lines().any(|line| line.contains('@')),
        "an e-mail address: {screen}"
    );
    assert!(screen.to_lowercase().contains("password"), "{screen}");
    assert!(screen.contains("svc_test_"), "{screen}");
    assert!(!screen.contains("svc_live_"), "{screen}");
    let curls = curls(&screen);
    assert_eq!(curls.len(), 3, "create, simulate, check: {screen}");
    // Pasted as they are, one after the other into one shell.
    let output = Command::new("sh")
        .args(["-c", &format!("cd /\n{}", curls.join("\n"))])
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success(),
        "{printed}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(
        printed.matches("\"PAID\"").count() >= 2,
        "simulated and checked: {printed}"
    );
    let accounts = site.operate(&["account", "list"]);
    assert_eq!(accounts.as_array().unwrap().len(), 1);
    let account = accounts[0]["id"].as_str().unwrap();
    assert!(screen.contains(account), "{screen}");
    if on == Backend::Sqlite {
        let mode = |name: &str| {
            let file = site.folder().join("data").join(name);
            file.metadata()
                .unwrap_or_else(|error| panic!("{}: {error}", file.display()))
                .permissions()
                .mode()
                & 0o777
        };
        let names: Vec<String> = std::fs::read_dir(site.folder().join("data"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        let key = names
            .iter()
            .find(|name| name.contains("key"))
            .unwrap_or_else(|| panic!("no master key: {names:?}"));
        assert_eq!(mode(key), 0o600);
        assert_eq!(
            mode("vintem.db") & 0o077,
            0,
            "nobody else reads the database"
        );
    }
}

fn a_later_start_shows_nothing_of_it(on: Backend) {
    let site = Site::new(on).without("VINTEM_BOOTSTRAP");
    drop(site.serve());
    let server = site.serve();
    let screen = server.stdout();
    assert!(
        !screen.contains("svc_test_") && !screen.to_lowercase().contains("password"),
        "{screen}"
    );
    assert_eq!(
        site.operate(&["account", "list"]).as_array().unwrap().len(),
        1
    );
}

fn an_installation_can_begin_empty(on: Backend) {
    let site = Site::new(on);
    let server = site.serve();
    assert_eq!(server.stdout().lines().count(), 1, "{}", server.stdout());
    assert_eq!(
        site.operate(&["account", "list"]).as_array().unwrap().len(),
        0
    );
}
