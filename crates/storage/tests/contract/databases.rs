//! What the databases themselves refuse, whatever the program asks of them.

use std::sync::Barrier;
use std::thread;

use diesel::connection::SimpleConnection;
use diesel::{Connection, PgConnection, QueryResult, SqliteConnection};
use vintem_domain::boleto::{BankCode, Slip, Title};
use vintem_domain::ledger::Head;
use vintem_domain::ports::Transact;
use vintem_domain::{Centavos, Error, Owner};
use vintem_storage::Kind;

use crate::fixtures::{
    account, bill_payment, boleto, charge, event, kept_account, kept_head, key, movement, owner,
    refund_of, slip, ulid, withdrawal,
};
use crate::scene::{Scene, open, promises};

promises!(of databases:
    available_cannot_become_negative,
    the_ledger_takes_no_change,
    events_take_no_change,
    postings_that_do_not_sum_to_zero_are_refused,
    a_damaged_entry_is_named,
    a_key_needs_its_account,
    a_slip_shares_neither_number_nor_barcode_nor_token,
    wallets_of_two_banks_may_give_the_same_number,
    a_payout_has_what_its_kind_and_its_status_need,
    a_refund_has_what_its_status_needs,
    opening_and_migrating_again_changes_nothing,
    starting_together_migrates_once,
    readiness_needs_the_schema,
    a_schema_of_a_newer_version_is_refused,
    after_a_full_disk_readiness_needs_room_for_payments,
);

/// Runs SQL beside the store.
pub(crate) fn sql(scene: &Scene, text: &str) -> QueryResult<()> {
    let (_, url) = scene.database.as_ref().unwrap();
    match url.strip_prefix("sqlite://") {
        Some(path) => SqliteConnection::establish(path)
            .unwrap()
            .batch_execute(text),
        None => PgConnection::establish(url).unwrap().batch_execute(text),
    }
}

fn refused(scene: &Scene, text: &str) -> String {
    sql(scene, text).unwrap_err().to_string()
}

fn available_cannot_become_negative(scene: &Scene) {
    let owner = owner();
    let head = kept_head(scene.store(), owner);
    let negative = Head {
        available: Centavos::new(-1),
        ..head
    };
    let saved = scene.store().transact(|tx| tx.save_head(&negative));
    assert!(matches!(saved, Err(Error::Bug(_))), "{saved:?}");
}

fn posted(scene: &Scene) -> Owner {
    let owner = owner();
    kept_head(scene.store(), owner);
    scene
        .store()
        .transact(|tx| {
            let mut head = tx.head_for_update(owner)?.unwrap();
            tx.insert_entry(&head.post(movement(500, ulid()))?)?;
            tx.save_head(&head)
        })
        .unwrap();
    owner
}

fn the_ledger_takes_no_change(scene: &Scene) {
    posted(scene);
    for text in [
        "UPDATE ledger_entries SET kind = 'play_money'",
        "DELETE FROM ledger_entries",
    ] {
        let message = refused(scene, text);
        assert!(message.contains("append-only"), "{message}");
    }
}

fn events_take_no_change(scene: &Scene) {
    let event = event(owner(), 1);
    scene
        .store()
        .transact(|tx| tx.insert_event(&event))
        .unwrap();
    for text in ["UPDATE events SET body = ''", "DELETE FROM events"] {
        let message = refused(scene, text);
        assert!(message.contains("append-only"), "{message}");
    }
}

fn postings_that_do_not_sum_to_zero_are_refused(scene: &Scene) {
    posted(scene);
    let message = refused(
        scene,
        "INSERT INTO ledger_entries \
         SELECT account, environment, sequence + 1, id, kind, reference, available + 1, fees, clearing, returns, play_money, \
                outgoing, created_at, hash \
         FROM ledger_entries",
    );
    assert!(
        message.to_lowercase().contains("check constraint"),
        "{message}"
    );
}

fn a_damaged_entry_is_named(scene: &Scene) {
    let owner = posted(scene);
    let (_, url) = scene.database.as_ref().unwrap();
    let unguarded = if url.starts_with("sqlite") {
        "PRAGMA ignore_check_constraints = ON; DROP TRIGGER ledger_entries_are_never_changed;"
    } else {
        "ALTER TABLE ledger_entries DROP CONSTRAINT ledger_entries_check; \
         ALTER TABLE ledger_entries DISABLE TRIGGER ALL;"
    };
    let change = "UPDATE ledger_entries SET available = available + 1;";
    sql(scene, &format!("{unguarded} {change}")).unwrap();
    let read = scene.store().read(|read| read.entries(owner, 0, 9));
    let message = read.unwrap_err().to_string();
    let named = format!(
        "ledger entry {} live 1: the postings do not sum to zero",
        owner.account.0
    );
    assert!(message.contains(&named), "{message}");
}

fn a_key_needs_its_account(scene: &Scene) {
    let account = kept_account(scene.store()).id;
    let known = key(account, vintem_domain::Environment::Live);
    scene.store().transact(|tx| tx.insert_key(&known)).unwrap();
    let orphan = key(owner().account, vintem_domain::Environment::Live);
    assert!(scene.store().transact(|tx| tx.insert_key(&orphan)).is_err());
}

fn issue(scene: &Scene, slip: Slip) -> Result<(), Error> {
    let charge = boleto(owner(), slip);
    scene.store().transact(|tx| tx.insert_charge(&charge))
}

fn a_slip_shares_neither_number_nor_barcode_nor_token(scene: &Scene) {
    let first = slip();
    issue(scene, first.clone()).unwrap();
    let same_number = Slip {
        our_number: first.our_number.clone(),
        ..slip()
    };
    let same_barcode = Slip {
        barcode: first.barcode,
        ..slip()
    };
    let same_token = Slip {
        pdf_token: first.pdf_token.clone(),
        ..slip()
    };
    for twin in [same_number.clone(), same_barcode, same_token] {
        assert!(issue(scene, twin).is_err());
    }
    let other_wallet = Slip {
        wallet: "99".to_owned(),
        ..same_number
    };
    issue(scene, other_wallet).unwrap();
}

fn wallets_of_two_banks_may_give_the_same_number(scene: &Scene) {
    let first = slip();
    // Itaú's code instead of the play bank's.
    let title = Title {
        bank: BankCode::parse("341").unwrap(),
        free_field: first.barcode.free_field(),
        amount: first.barcode.amount(),
        due_date: Some(first.due_date),
    };
    let other_bank = Slip {
        barcode: title.barcode().unwrap(),
        our_number: first.our_number.clone(),
        ..slip()
    };
    issue(scene, first).unwrap();
    issue(scene, other_bank).unwrap();
}

fn a_payout_has_what_its_kind_and_its_status_need(scene: &Scene) {
    let owner = owner();
    for payout in [withdrawal(owner), bill_payment(owner)] {
        scene
            .store()
            .transact(|tx| tx.insert_payout(&payout))
            .unwrap();
    }
    for change in [
        "pix_key = NULL WHERE kind = 'withdrawal'",
        "pix_key_kind = NULL WHERE kind = 'withdrawal'",
        "payee_document = NULL WHERE kind = 'withdrawal'",
        "payee_name = 'x' WHERE kind = 'bill'",
        "pix_key = 'x', pix_key_kind = 'EVP' WHERE kind = 'bill'",
        "description = 'x' WHERE kind = 'bill'",
        "barcode = NULL WHERE kind = 'bill'",
        "external_id = NULL WHERE kind = 'bill'",
        "quote = id WHERE kind = 'withdrawal'",
        "kind = 'bill' WHERE kind = 'withdrawal'",
        "status = 'paid', ended_at = 1, phase = 'over'",
        "status = 'failed', ended_at = 1, phase = 'over'",
        "status = 'paid', authentication = 'x', phase = 'over'",
        "status = 'paid', authentication = 'x', ended_at = 1",
        "authentication = 'x'",
        "ended_at = 1",
        "phase = 'over'",
        "net_amount = amount + 1",
        "amount = 0, net_amount = 0",
    ] {
        let message = refused(scene, &format!("UPDATE payouts SET {change}"));
        let message = message.to_lowercase();
        assert!(message.contains("check constraint"), "{change}: {message}");
    }
}

fn a_refund_has_what_its_status_needs(scene: &Scene) {
    let refund = refund_of(owner());
    scene
        .store()
        .transact(|tx| tx.insert_refund(&refund))
        .unwrap();
    for change in [
        "status = 'paid', ended_at = 1, phase = 'over'",
        "status = 'failed', ended_at = 1, phase = 'over'",
        "status = 'paid', authentication = 'x', phase = 'over'",
        "status = 'paid', authentication = 'x', ended_at = 1",
        "authentication = 'x'",
        "ended_at = 1",
        "phase = 'over'",
        "amount = 0",
    ] {
        let message = refused(scene, &format!("UPDATE refunds SET {change}"));
        let message = message.to_lowercase();
        assert!(message.contains("check constraint"), "{change}: {message}");
    }
}

fn opening_and_migrating_again_changes_nothing(scene: &Scene) {
    let (database, url) = scene.database.as_ref().unwrap();
    let charge = charge(owner());
    scene
        .store()
        .transact(|tx| tx.insert_charge(&charge))
        .unwrap();
    database.migrate().unwrap();
    let again = open(url);
    again.migrate().unwrap();
    let read = again.read_charge(&charge);
    assert_eq!(read, Some(charge));
}

trait ReadCharge {
    fn read_charge(
        &self,
        charge: &vintem_domain::charge::Charge,
    ) -> Option<vintem_domain::charge::Charge>;
}

impl ReadCharge for vintem_storage::Database {
    fn read_charge(
        &self,
        charge: &vintem_domain::charge::Charge,
    ) -> Option<vintem_domain::charge::Charge> {
        Transact::read(self, |read| read.charge(charge.owner, charge.id)).unwrap()
    }
}

fn starting_together_migrates_once(scene: &Scene) {
    const SERVERS: usize = 6;
    let (_, url) = scene.database.as_ref().unwrap();
    for _ in 0..4 {
        drop_everything(scene);
        let start = Barrier::new(SERVERS);
        thread::scope(|scope| {
            for _ in 0..SERVERS {
                scope.spawn(|| {
                    let database = open(url);
                    start.wait();
                    database.migrate().unwrap();
                    database.check_ready().unwrap();
                });
            }
        });
    }
}

fn a_schema_of_a_newer_version_is_refused(scene: &Scene) {
    let (_, url) = scene.database.as_ref().unwrap();
    sql(
        scene,
        "INSERT INTO __diesel_schema_migrations (version) VALUES ('9999')",
    )
    .unwrap();
    let older = open(url);
    for refused in [older.migrate(), older.check_ready()] {
        let failure = refused.unwrap_err();
        assert_eq!(failure.kind(), Kind::Setting);
        assert_eq!(
            failure.to_string(),
            "the database has migration 9999, which this program does not know: a newer version of it is needed"
        );
    }
}

fn readiness_needs_the_schema(scene: &Scene) {
    let (database, url) = scene.database.as_ref().unwrap();
    database.check_ready().unwrap();
    drop_everything(scene);
    assert!(open(url).check_ready().is_err());
    open(url).migrate().unwrap();
    open(url).check_ready().unwrap();
}

fn after_a_full_disk_readiness_needs_room_for_payments(scene: &Scene) {
    let (database, _) = scene.database.as_ref().unwrap();
    fill_disk(scene);
    database.check_ready().unwrap();
    let answer = scene.store().transact(|tx| tx.insert_account(&account()));
    assert!(matches!(answer, Err(Error::Unavailable(_))), "{answer:?}");
    for _ in 0..2 {
        let failure = database.check_ready().unwrap_err();
        assert_eq!(failure.kind(), Kind::Full);
    }
    empty_disk(scene);
    for _ in 0..2 {
        database.check_ready().unwrap();
    }
    kept_account(scene.store());
}

/// What wants room is refused as by a full disk, a count of probes is not.
fn fill_disk(scene: &Scene) {
    let (_, url) = scene.database.as_ref().unwrap();
    let text = if url.starts_with("sqlite") {
        "CREATE TRIGGER no_account BEFORE INSERT ON accounts
         BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END;
         CREATE TRIGGER no_filling BEFORE UPDATE ON readiness WHEN length(NEW.filling) > 0
         BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END;"
    } else {
        "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
         $$BEGIN RAISE 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END$$;
         CREATE TRIGGER no_account BEFORE INSERT ON accounts
         FOR EACH ROW EXECUTE FUNCTION full_disk();
         CREATE TRIGGER no_filling BEFORE UPDATE ON readiness
         FOR EACH ROW WHEN (length(NEW.filling) > 0) EXECUTE FUNCTION full_disk();"
    };
    sql(scene, text).unwrap();
}

fn empty_disk(scene: &Scene) {
    let (_, url) = scene.database.as_ref().unwrap();
    let text = if url.starts_with("sqlite") {
        "DROP TRIGGER no_account; DROP TRIGGER no_filling"
    } else {
        "DROP FUNCTION full_disk CASCADE"
    };
    sql(scene, text).unwrap();
}

/// Undoes all migrations, as if there had never been one.
fn drop_everything(scene: &Scene) {
    let (_, url) = scene.database.as_ref().unwrap();
    let folder = if url.starts_with("sqlite") {
        "sqlite"
    } else {
        "postgres"
    };
    let migrations = format!("{}/../../migrations/{folder}", env!("CARGO_MANIFEST_DIR"));
    let mut folders: Vec<_> = std::fs::read_dir(migrations)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    folders.sort();
    for folder in folders.iter().rev() {
        let down = std::fs::read_to_string(folder.join("down.sql")).unwrap();
        sql(scene, &down).unwrap();
    }
    sql(scene, "DROP TABLE __diesel_schema_migrations").unwrap();
}
