//! Where settings come from: a flag wins over a variable, a variable over the file, the file over the default.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use toml::Value as Toml;

use super::{Config, SETTINGS, Unset, Value};

/// What the names of variables start with.
pub(super) const PREFIX: &str = "VINTEM_";
/// The variable that names the file.
const FILE_VARIABLE: &str = "VINTEM_CONFIG";
/// The file that is read when it is there and no other is named.
const DEFAULT_FILE: &str = "vintem.toml";
/// Variables that test runners and clusters inject; they are nobody's mistake.
const FOREIGN_PREFIXES: [&str; 3] = ["VINTEM_TEST_", "VINTEM_SERVICE_", "VINTEM_PORT_"];
const FOREIGN: &str = "VINTEM_PORT";

/// Why the settings cannot be used, in one line that names the one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadSetting(String);

impl BadSetting {
    /// Settings that are good alone but not together.
    pub(super) fn together(reason: impl fmt::Display) -> Self {
        Self(reason.to_string())
    }
}

impl fmt::Display for BadSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadSetting {}

/// The text of a setting, and where it was found.
#[derive(Clone, Debug)]
struct Found {
    text: String,
    place: String,
}

/// What was given, by the name of the setting: from all sources, the one that wins last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    found: BTreeMap<&'static str, Vec<Found>>,
}

impl Given {
    /// Reads the settings of all sources: flags by the name of their setting, all variables of the environment, and the
    /// file named by a flag, a variable or nobody.
    ///
    /// # Errors
    /// An unknown name, a bad value, or a file that cannot be read.
    pub(crate) fn config(
        flags: impl IntoIterator<Item = (&'static str, String)>,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
        file: Option<&Path>,
    ) -> Result<Config, BadSetting> {
        let (variables, named) = from_environment(environment)?;
        let file = file.map(Path::to_owned).or(named);
        let mut given = Self::default();
        let flags = flags.into_iter().map(|(name, text)| {
            let place = format!("--{}", name.replace('_', "-"));
            (name, Found { text, place })
        });
        for (name, found) in from_file(file.as_deref())?
            .into_iter()
            .chain(variables)
            .chain(flags)
        {
            given.found.entry(name).or_default().push(found);
        }
        Config::read(&given)
    }

    /// The value of one setting. One that does not win must be good too: it would surprise whoever takes the other away.
    pub(super) fn value<T: Value>(
        &self,
        name: &'static str,
        unset: Unset,
    ) -> Result<T, BadSetting> {
        let read = |text: &str, place: &str| {
            T::read(text).map_err(|reason| BadSetting(format!("{place} {reason}")))
        };
        let mut given = None;
        for found in self.found.get(name).into_iter().flatten() {
            given = Some(read(&found.text, &found.place)?);
        }
        match (given, unset) {
            (Some(value), _) => Ok(value),
            (None, Unset::Is(text)) => read(text, name),
            (None, Unset::Means(_)) => {
                T::absent().ok_or_else(|| BadSetting(format!("{name} must be given")))
            }
        }
    }
}

fn known(name: &str) -> Option<&'static str> {
    let setting = SETTINGS.iter().find(|setting| setting.name == name)?;
    Some(setting.name)
}

type Variables = (BTreeMap<&'static str, Found>, Option<PathBuf>);

/// The settings among the variables, and the file they name.
fn from_environment(
    environment: impl IntoIterator<Item = (OsString, OsString)>,
) -> Result<Variables, BadSetting> {
    let mut found = BTreeMap::new();
    let mut file = None;
    for (variable, text) in environment {
        let variable = variable.to_string_lossy().into_owned();
        let Some(name) = variable.strip_prefix(PREFIX) else {
            continue;
        };
        if variable == FILE_VARIABLE {
            file = Some(PathBuf::from(text));
            continue;
        }
        let foreign = variable == FOREIGN
            || FOREIGN_PREFIXES
                .into_iter()
                .any(|prefix| variable.starts_with(prefix));
        if foreign {
            continue;
        }
        let upper_case = name == name.to_uppercase();
        let Some(name) = known(&name.to_lowercase()).filter(|_| upper_case) else {
            return Err(BadSetting(format!("unknown setting {variable}")));
        };
        let text = text
            .into_string()
            .map_err(|_bytes| BadSetting(format!("{variable} must be UTF-8")))?;
        let place = variable;
        found.insert(name, Found { text, place });
    }
    Ok((found, file))
}

/// The settings in the file; none when none is named and the default one is not there.
fn from_file(named: Option<&Path>) -> Result<BTreeMap<&'static str, Found>, BadSetting> {
    let path = named.unwrap_or(Path::new(DEFAULT_FILE));
    let shown = path.display();
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if named.is_none() && error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(BTreeMap::new());
        }
        Err(error) => return Err(BadSetting(format!("{shown}: {error}"))),
    };
    let table: toml::Table = toml::from_str(&text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.unwrap_or_default().lines().count().max(1);
        let message = error
            .message()
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned();
        BadSetting(format!("{shown}, line {line}: {message}"))
    })?;
    let mut found = BTreeMap::new();
    flatten(&table, "", path, &mut found)?;
    Ok(found)
}

/// Tables only group: `pix` in `[fees]` is `fees_pix`.
fn flatten(
    table: &toml::Table,
    prefix: &str,
    path: &Path,
    found: &mut BTreeMap<&'static str, Found>,
) -> Result<(), BadSetting> {
    for (key, value) in table {
        let name = format!("{prefix}{key}");
        let place = format!("{}: {name}", path.display());
        let Some(known) = known(&name) else {
            match value {
                Toml::Table(inner) if is_group(&name) => {
                    flatten(inner, &format!("{name}_"), path, found)?;
                    continue;
                }
                _ => {
                    let shown = path.display();
                    return Err(BadSetting(format!("{shown}: unknown setting {name}")));
                }
            }
        };
        let text = text_of(value).ok_or_else(|| {
            BadSetting(format!(
                "{place} must be a text, a whole number, true, false or a list of texts"
            ))
        })?;
        if found
            .insert(
                known,
                Found {
                    text,
                    place: place.clone(),
                },
            )
            .is_some()
        {
            return Err(BadSetting(format!("{place} is given twice")));
        }
    }
    Ok(())
}

fn is_group(name: &str) -> bool {
    let prefix = format!("{name}_");
    SETTINGS
        .iter()
        .any(|setting| setting.name.starts_with(&prefix))
}

/// A value of the file as the text a variable would have.
fn text_of(value: &Toml) -> Option<String> {
    match value {
        Toml::String(text) => Some(text.clone()),
        Toml::Integer(number) => Some(number.to_string()),
        Toml::Boolean(yes) => Some(yes.to_string()),
        Toml::Array(items) => {
            let texts: Option<Vec<&str>> = items.iter().map(Toml::as_str).collect();
            texts.map(|texts| texts.join(","))
        }
        Toml::Table(table) => fee(table),
        Toml::Float(_) | Toml::Datetime(_) => None,
    }
}

/// `{ fixed = 80, basis_points = 99 }` as `80+99bp`; both parts may be left out.
fn fee(table: &toml::Table) -> Option<String> {
    let part = |key| table.get(key).map_or(Some(0), Toml::as_integer);
    let (fixed, basis_points) = part("fixed").zip(part("basis_points"))?;
    table
        .keys()
        .all(|key| key == "fixed" || key == "basis_points")
        .then(|| format!("{fixed}+{basis_points}bp"))
}

#[cfg(test)]
mod tests;
