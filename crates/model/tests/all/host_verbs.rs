//! The table of host verbs, and the documents and stubs that repeat it.

use selfmade_model::access::grants::{BrainGrant, Grants, StorageGrant};
use selfmade_model::run::host_verb::{HostVerb, InTrial, VerbGrant, VerbType};

const GUIDE: &str = include_str!("../../../../docs/functions.md");
const STUBS: &str = include_str!("../../../../sdk/python/src/selfmade/_inside.py");

fn granted(grants: &Grants) -> Vec<&'static str> {
    HostVerb::granted(grants).map(HostVerb::name).collect()
}

#[test]
fn every_verb_is_found_by_its_name_and_no_two_share_one() {
    for verb in HostVerb::ALL {
        assert_eq!(HostVerb::named(verb.name()), Some(*verb));
    }
    assert_eq!(HostVerb::named("emitt"), None);
}

#[test]
fn grants_bring_verbs_and_nothing_brings_hidden_ones() {
    let free = granted(&Grants::default());
    assert_eq!(free, ["now", "random", "sleep", "log", "emit", "ask", "ask_budget"]);
    let read = granted(&Grants { brain: BrainGrant::Read, ..Grants::default() });
    assert!(read.contains(&"run") && read.contains(&"babyagi.run") && !read.contains(&"brain.draft"));
    let reader = granted(&Grants { storage: StorageGrant::Read, ..Grants::default() });
    assert!(reader.contains(&"storage.get") && !reader.contains(&"storage.set"));
    let storage = StorageGrant::Write;
    let all = Grants { brain: BrainGrant::Propose, model: true, files: true, storage, ..Grants::default() };
    let hidden = |verb: &&HostVerb| verb.row().grant == VerbGrant::Hidden;
    assert_eq!(granted(&all).len() + HostVerb::ALL.iter().filter(hidden).count(), HostVerb::ALL.len());
}

#[test]
fn a_signature_is_written_as_python_does() {
    let signature = |verb: HostVerb| verb.row().signature();
    assert_eq!(signature(HostVerb::Emit), "name: str, data=None");
    assert_eq!(signature(HostVerb::BrainSearch), "query: str, limit: float = 10");
    assert_eq!(signature(HostVerb::BrainPropose), "title: str | None = None, wait=False");
    assert_eq!(signature(HostVerb::Run), "name: str, /, *args, **kwargs");
    assert_eq!(HostVerb::Run.row().usage(), "run(name, …)");
}

#[test]
fn what_a_run_can_ask_for_is_journaled_so_that_it_can_be_resumed() {
    for verb in HostVerb::ALL.iter().filter(|verb| **verb != HostVerb::Mock) {
        assert!(verb.row().is_journaled, "{verb:?}");
    }
}

/// What follows a required parameter may be left out, and the rest comes last: otherwise Python could not declare it.
#[test]
fn parameters_are_in_an_order_that_python_allows() {
    for verb in HostVerb::ALL {
        let parameters = verb.row().parameters;
        let first_optional = parameters.iter().position(|one| one.default.is_some());
        let last_required = parameters.iter().rposition(|one| one.default.is_none());
        assert!(first_optional.is_none_or(|first| last_required.is_none_or(|last| last < first)), "{verb:?}");
        let rest = parameters.iter().position(|one| one.takes == VerbType::Rest);
        assert!(rest.is_none_or(|rest| rest + 1 == parameters.len()), "{verb:?}");
    }
}

#[test]
fn the_guide_shows_every_verb_as_the_table_has_it() {
    let of_babyagi = |verb: &&HostVerb| verb.name().starts_with("babyagi.");
    let shown = HostVerb::ALL.iter().filter(|verb| verb.row().grant != VerbGrant::Hidden);
    let (func, verbs): (Vec<&HostVerb>, Vec<&HostVerb>) = shown.partition(of_babyagi);
    assert_eq!(table_below("| verb | answers | with | in a test |"), rows(&verbs));
    assert_eq!(table_below("| verb of `func` | answers | with | in a test |"), rows(&func));
}

#[test]
fn the_guide_says_which_verbs_a_test_need_not_mock() {
    let answered: Vec<String> = HostVerb::ALL
        .iter()
        .filter(|verb| verb.row().in_trial != InTrial::Refused && verb.row().grant != VerbGrant::Hidden)
        .map(|verb| format!("`{}`", verb.name()))
        .collect();
    let (last, others) = answered.split_last().unwrap();
    let sentence = format!("Verbs without a mock are refused, but for {} and {last}", others.join(", "));
    let guide = GUIDE.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(guide.contains(&sentence), "docs/functions.md does not say: {sentence}");
}

#[test]
fn the_python_package_declares_the_same_names_for_tools() {
    for verb in HostVerb::ALL.iter().filter(|verb| verb.row().grant == VerbGrant::Free) {
        let row = verb.row();
        let start = format!("\ndef {}(", row.name);
        let declared =
            STUBS.split_once(&start).unwrap_or_else(|| panic!("_inside.py has no `{}`", row.name)).1;
        let declared = declared.split_once(") ->").unwrap().0;
        let names = declared
            .split(',')
            .map(str::trim)
            .filter_map(|one| one.split([':', '=']).next())
            .filter(|name| !name.is_empty());
        let expected: Vec<&str> = row.parameters.iter().map(|one| one.name).collect();
        assert_eq!(names.collect::<Vec<_>>(), expected, "`{}` in _inside.py", row.name);
    }
    let groups = HostVerb::ALL.iter().filter_map(|verb| verb.name().split_once('.')).map(|(group, _)| group);
    // `selfmade.babyagi` is a package of its own there, and `selfmade.run` runs from outside.
    for group in groups.filter(|group| *group != "babyagi") {
        assert!(
            STUBS.contains(&format!("\n{group}: Any = Inside(\"{group}\")")),
            "_inside.py has no `{group}`"
        );
    }
}

fn rows(verbs: &[&HostVerb]) -> Vec<String> {
    verbs.iter().map(|verb| row(**verb)).collect()
}

fn row(verb: HostVerb) -> String {
    let row = verb.row();
    let with = match row.grant {
        VerbGrant::Free | VerbGrant::Hidden => "",
        VerbGrant::Brain(BrainGrant::Propose) => "`brain=\"propose\"`",
        VerbGrant::Brain(_) => "`brain=\"read\"`",
        VerbGrant::Model => "`model=True`",
        VerbGrant::Files => "`files=True`",
        VerbGrant::Storage(StorageGrant::Write) => "`storage=\"write\"`",
        VerbGrant::Storage(_) => "`storage=\"read\"`",
    };
    let in_trial = match row.in_trial {
        InTrial::Time | InTrial::Chance => "the same",
        InTrial::Nothing => "nothing, at once",
        InTrial::Refused => "its mock",
    };
    format!("| `{}` | {} | {with} | {in_trial} |", row.usage(), row.description).replace("|  |", "| |")
}

/// The rows of the table with this head.
fn table_below(head: &str) -> Vec<String> {
    let lines = GUIDE.lines().skip_while(|line| *line != head).skip(2);
    lines.take_while(|line| line.starts_with('|')).map(str::to_owned).collect()
}
