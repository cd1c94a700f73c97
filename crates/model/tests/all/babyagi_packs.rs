//! BabyAGI's own packs, as they are published, are read whole. Their folder is prepared by `cargo xtask test`.

use std::collections::BTreeMap;
use std::path::Path;

use selfmade_model::python::{Dialect, PackFile, SourceErrorKind, read_pack};

#[allow(
    clippy::disallowed_methods,
    reason = "the folder is made by the test runner, which can only say where"
)]
fn packs() -> BTreeMap<String, String> {
    let root = std::env::var("SELFMADE_TEST_BABYAGI")
        .unwrap_or_else(|_| panic!("SELFMADE_TEST_BABYAGI is not set: run through `cargo xtask test`"));
    let mut found = BTreeMap::new();
    for kind in ["default", "drafts", "plugins"] {
        let folder = Path::new(&root).join("babyagi/functionz/packs").join(kind);
        let entries =
            std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let files = entries.map(|entry| entry.unwrap().path());
        for file in files.filter(|file| file.extension().is_some_and(|extension| extension == "py")) {
            found.insert(name(kind, &file), std::fs::read_to_string(&file).unwrap());
        }
    }
    found
}

fn name(kind: &str, file: &Path) -> String {
    format!("{kind}/{}", file.file_stem().unwrap().to_str().unwrap())
}

fn names(pack: &PackFile) -> String {
    pack.functions.iter().map(|function| function.name.as_str()).collect::<Vec<_>>().join(" ")
}

const EXPECTED: &[(&str, &str)] = &[
    (
        "default/ai_functions",
        "gpt_call description_writer ai_description_generator generate_missing_descriptions embed_input \
         embed_function_description find_similar_function generate_missing_embeddings choose_function",
    ),
    (
        "default/default_functions",
        "execute_function_wrapper add_new_function function_added_or_updated add_key_wrapper \
         get_function_versions_wrapper get_function_wrapper get_all_functions_wrapper \
         activate_function_version_wrapper display_functions_wrapper get_logs_wrapper add_trigger_wrapper \
         get_all_secret_keys get_all_imports_wrapper",
    ),
    ("default/function_calling_chat", "chat_with_functions"),
    ("default/os", "get_full_directory_contents_cleaned"),
    ("drafts/choose_or_create_function", "choose_or_create_function"),
    (
        "drafts/code_writing_functions",
        "check_existing_functions break_down_task decide_imports_and_apis get_functions_that_depend_on \
         generate_function_code create_function generate_functions run_final_function \
         extract_function_parameters process_user_input",
    ),
    (
        "drafts/generate_function",
        "fetch_existing_functions analyze_internal_functions fetch_function_codes \
         determine_required_external_apis handle_api_documentation generate_final_function_code \
         add_function_to_database generate_function_from_description",
    ),
    ("drafts/generate_own_function", "generate_function_from_description"),
    ("drafts/react_agent", "react_agent"),
    ("drafts/self_build", "generate_queries self_build"),
    ("drafts/self_build2", "generate_and_process_queries"),
    (
        "plugins/airtable",
        "init_airtable create_record get_record_by_id update_record delete_record get_all_records \
         batch_upsert_records batch_create_records batch_delete_records get_dynamic_records",
    ),
    ("plugins/augie", "generate_augie_params create_augie get_augie_status create_and_wait_for_video"),
    ("plugins/e2b", "execute_code_in_sandbox chat_with_llm_and_execute save_chart e2b_llm_to_chart"),
    ("plugins/firecrawl", "crawl_website check_crawl_status scrape_website"),
    ("plugins/harmonic", "harmonic_enrich_company harmonic_search_companies harmonic_enrich_person_by_id"),
    (
        "plugins/payman",
        "store_payman_api_keys create_task get_task_by_id get_all_tasks get_task_submissions \
         approve_task_submission reject_task_submission",
    ),
    ("plugins/serpapi", "serpapi_search_v2"),
    ("plugins/voilanorbert", "search_contact_by_name_domain search_contact_by_domain"),
    (
        "plugins/wokelo",
        "get_auth_token create_industry_snapshot check_report_status download_report generate_industry_report",
    ),
];

#[test]
fn every_pack_is_read_but_the_one_that_is_not_python() {
    let mut sources = packs();
    let broken = sources.remove("drafts/user_db").unwrap();
    let error = read_pack(&broken).unwrap_err();
    assert_eq!(error.kind, SourceErrorKind::Syntax);
    let told = error.to_string();
    assert!(told.starts_with("line 447, ") && told.contains("after decorator"), "{told}");

    assert_eq!(
        sources.keys().map(String::as_str).collect::<Vec<_>>(),
        EXPECTED.iter().map(|(file, _)| *file).collect::<Vec<_>>()
    );
    for (file, expected) in EXPECTED {
        let pack = read_pack(&sources[*file]).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert_eq!(names(&pack), *expected, "{file}");
        assert!(pack.functions.iter().all(|function| function.dialect == Dialect::Babyagi));
        assert!(pack.skipped.is_empty(), "{file}");
    }
}

#[test]
fn what_the_packs_declare_is_read() {
    let sources = packs();
    let function = |file: &str, name: &str| {
        let pack = read_pack(&sources[file]).unwrap();
        pack.functions.into_iter().find(|function| function.name == name).unwrap()
    };
    let crawl = function("plugins/firecrawl", "crawl_website").declared;
    assert_eq!(crawl.imports.unwrap(), ["firecrawl"]);
    assert_eq!(crawl.requirements.unwrap()[0].package, "firecrawl-py");
    assert_eq!(crawl.secrets.unwrap(), ["firecrawl_api_key"]);
    assert!(crawl.description.unwrap().starts_with("Submits"));
    let similar = function("default/ai_functions", "find_similar_function").declared;
    assert_eq!(similar.imports.unwrap(), ["numpy", "csv", "sklearn", "os"]);
    let packages: Vec<_> = similar.requirements.unwrap().into_iter().map(|r| r.package).collect();
    assert_eq!(packages, ["numpy", "scikit-learn"]);
    let writer = function("default/ai_functions", "ai_description_generator").declared;
    assert_eq!(writer.triggers.unwrap(), ["function_added_or_updated"]);
    let tasks = function("plugins/payman", "create_task");
    assert_eq!(tasks.analysis.globals_read, ["payman_api_key", "payman_test_api_key"]);
    let odd = function("drafts/generate_function", "analyze_internal_functions").declared;
    let dependencies: Vec<_> = odd.dependencies.unwrap().into_iter().map(|d| d.function).collect();
    assert_eq!(dependencies, ["litellm", "FunctionSuggestion"]);
}

#[test]
fn only_two_functions_use_what_they_did_not_declare() {
    let mut undeclared = Vec::new();
    for (file, source) in packs() {
        for function in read_pack(&source).map(|pack| pack.functions).unwrap_or_default() {
            for free in function.unresolved {
                undeclared.push(format!("{file} {} {} {}", function.name, free.name, free.in_annotation));
            }
        }
    }
    assert_eq!(
        undeclared,
        [
            "default/default_functions add_trigger_wrapper Optional true",
            "plugins/serpapi serpapi_search_v2 requests false",
        ]
    );
}
