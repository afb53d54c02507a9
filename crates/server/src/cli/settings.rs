//! Flags and help made of the table of settings.

use clap::{Arg, ArgMatches, Command, CommandFactory as _};

use super::CommandLine;
use crate::config::{Flag, SETTINGS, Setting, Unset};

/// Under which the help lists them.
pub(super) const HEADING: &str = "Settings";

/// The command line with a flag for each setting that has one.
pub(super) fn command() -> Command {
    let everywhere = of(Flag::Everywhere).map(|setting| flag(setting).global(true));
    CommandLine::command()
        .args(everywhere)
        .mut_subcommand("serve", |serve| {
            serve.args(of(Flag::Serve).map(flag)).after_help(rest())
        })
}

fn of(flag: Flag) -> impl Iterator<Item = &'static Setting> {
    SETTINGS.iter().filter(move |setting| setting.flag == flag)
}

fn flag(setting: &'static Setting) -> Arg {
    // The command line is made once and lives as long as the process.
    let long: &'static str = setting.long_flag().leak();
    Arg::new(setting.name)
        .long(long)
        .value_name("VALUE")
        .help_heading(HEADING)
        .help(described(setting))
}

fn described(setting: &Setting) -> String {
    let default = setting.default();
    let shown = match setting.unset {
        Unset::Is("") => String::from("none"),
        Unset::Is(_) | Unset::Means(_) => default.to_owned(),
    };
    format!(
        "{} [env: {}] [default: {shown}]",
        setting.meaning(),
        setting.variable()
    )
}

/// The settings that are no flags, for the end of the help of `serve`.
fn rest() -> String {
    let mut text = String::from("Settings without a flag (variables, or keys of vintem.toml):\n");
    for setting in of(Flag::Nowhere) {
        let (variable, meaning) = (setting.variable(), setting.meaning());
        text.push_str(
            &[
                "  ",
                &variable,
                "\n          ",
                &meaning,
                " [default: ",
                setting.default(),
                "]\n",
            ]
            .concat(),
        );
    }
    text.push_str(
        "\nIn vintem.toml a setting is written without VINTEM_ and in lower case, and may be grouped:\n  \
         listen = \"0.0.0.0:8080\"\n  \
         [fees]\n  \
         pix = { fixed = 80, basis_points = 99 }\n\
         \n\
         A flag wins over a variable, a variable over the file.",
    );
    text
}

/// The settings given as flags.
pub(super) fn flags(matches: &ArgMatches) -> Vec<(&'static str, String)> {
    // Global flags reach the innermost subcommand, those of `serve` are there too.
    let mut innermost = matches;
    while let Some((_, deeper)) = innermost.subcommand() {
        innermost = deeper;
    }
    SETTINGS
        .iter()
        .filter_map(|setting| {
            let text = innermost.try_get_one::<String>(setting.name).ok()??;
            Some((setting.name, text.clone()))
        })
        .collect()
}
