//! What the command line takes and refuses.

use super::*;

fn asked(line: &str) -> Result<Asked, clap::Error> {
    ask(line.split_whitespace().map(Into::into))
}

fn code(line: &str) -> i32 {
    asked(line).err().map_or(0, |error| error.exit_code())
}

const ACCOUNT: &str = "acc_01ARZ3NDEKTSV4RRFFQ69G5FAV";

#[test]
fn the_command_line_is_consistent() {
    settings::command().debug_assert();
}

#[test]
fn settings_are_flags_before_and_after_the_command() {
    let flags = |line| asked(line).unwrap().flags;
    let given = ("database_url", "sqlite://x".to_owned());
    assert_eq!(
        flags("vintem --database-url sqlite://x account list"),
        std::slice::from_ref(&given)
    );
    assert_eq!(
        flags("vintem account list --database-url sqlite://x"),
        [given]
    );
    assert_eq!(
        flags("vintem serve --listen 127.0.0.1:0"),
        [("listen", "127.0.0.1:0".to_owned())]
    );
    assert_eq!(code("vintem account list --listen 127.0.0.1:0"), 2);
    assert_eq!(code("vintem serve --master-key x"), 2);
}

#[test]
fn wrong_usage_is_told_from_failure() {
    for wrong in [
        "vintem",
        "vintem nothing",
        "vintem account",
        "vintem account show",
        "vintem account show --id 7",
        "vintem account create --name N --email nobody",
        &format!("vintem key create --account {ACCOUNT} --mode prod"),
        &format!("vintem key create --account {ACCOUNT} --mode test --scopes PIX:STEAL"),
        &format!("vintem key create --account {ACCOUNT} --mode test --expires 5m"),
        "vintem key roll --id key_01ARZ3NDEKTSV4RRFFQ69G5FAV --overlap 25h",
        &format!("vintem clock set --account {ACCOUNT}"),
        &format!("vintem clock set --account {ACCOUNT} --reset --advance 3d"),
        &format!("vintem clock set --account {ACCOUNT} --to tomorrow"),
        &format!("vintem webhook resend --account {ACCOUNT} --mode test"),
        &format!("vintem webhook resend --account {ACCOUNT} --mode test --from 1"),
        &format!("vintem webhook set --account {ACCOUNT} --mode test --url x"),
        "vintem stub pay",
        "vintem stub pay --charge wd_01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "vintem stub pay --line 1 --br-code x",
        "vintem stub pay --line 1 --payer-name Ana",
        "vintem charge show --id bp_01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "vintem payout show --id chg_01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "vintem receipt --id wd_01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "vintem receipt --id chg_01ARZ3NDEKTSV4RRFFQ69G5FAV --to a.pdf",
        "vintem charge cancel",
        "vintem charge cancel --id wd_01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "vintem charge refund --id chg_01ARZ3NDEKTSV4RRFFQ69G5FAV --amount 0",
        "vintem charge refund --id chg_01ARZ3NDEKTSV4RRFFQ69G5FAV --amount 1.5",
        "vintem charge refund --id chg_01ARZ3NDEKTSV4RRFFQ69G5FAV --key ç",
        "vintem stub state --refunds lost",
        &format!("vintem account limits --id {ACCOUNT} --duplicate-guard-minutes 0"),
        &format!("vintem account limits --id {ACCOUNT} --duplicate-guard-minutes 10081"),
    ] {
        assert_eq!(code(wrong), 2, "{wrong}");
    }
    for help in [
        "vintem --help",
        "vintem serve --help",
        "vintem webhook resend --help",
    ] {
        let error = asked(help).err().unwrap();
        assert_eq!(error.exit_code(), 0, "{help}");
    }
}

#[test]
fn the_help_of_serve_names_every_setting() {
    let help = asked("vintem serve --help").err().unwrap().to_string();
    for setting in crate::config::SETTINGS {
        assert!(help.contains(&setting.variable()), "{}", setting.name);
    }
}

#[test]
fn what_was_agreed_can_be_given_up() {
    let line = format!("vintem account fees --id {ACCOUNT} --pix 80+99bp --boleto default");
    let asked = asked(&line).unwrap();
    let Command::Account(Account::Fees(fees)) = asked.line.command else {
        panic!("{line}");
    };
    assert_eq!(fees.pix.unwrap().0.unwrap().basis_points(), 99);
    assert_eq!(fees.boleto, Some(FeeChange(None)));
    assert_eq!(fees.checkout, None);
}

#[test]
fn ids_of_every_kind_are_understood() {
    for right in [
        "vintem charge show --id chg_01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "vintem charge show --id bol_01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "vintem charge cancel --id chg_01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "vintem charge refund --id bol_01ARZ3NDEKTSV4RRFFQ69G5FAV --amount 100 --reason troca --key 7",
        "vintem payout show --id wd_01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "vintem payout show --id bp_01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "vintem receipt --id wd_01ARZ3NDEKTSV4RRFFQ69G5FAV --to a.pdf",
        "vintem receipt --id bp_01ARZ3NDEKTSV4RRFFQ69G5FAV --to a.pdf",
        "vintem receipt --id rf_01ARZ3NDEKTSV4RRFFQ69G5FAV --to a.pdf",
        "vintem stub pay --charge bol_01ARZ3NDEKTSV4RRFFQ69G5FAV --amount 1",
        "vintem stub pay --line 1 --amount 1",
        &format!("vintem account limits --id {ACCOUNT} --duplicate-guard-minutes off"),
    ] {
        assert_eq!(code(right), 0, "{right}");
    }
}
