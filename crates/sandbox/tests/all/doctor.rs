//! What the sandbox says about this machine.

use selfmade_sandbox::Sandbox;

use crate::support::config;

#[tokio::test]
async fn every_required_layer_is_named_and_what_is_missing_has_advice() {
    let layers = Sandbox::examine(&config()).await.unwrap();
    let required: Vec<&str> =
        layers.iter().filter(|layer| layer.required).map(|layer| layer.name.as_str()).collect();
    for name in [
        "user namespace",
        "mount namespace",
        "pid namespace",
        "net namespace",
        "ipc namespace",
        "uts namespace",
        "landlock",
        "seccomp",
        "pidfd",
    ] {
        assert!(required.contains(&name), "{name}");
    }
    for layer in layers.iter().filter(|layer| !layer.available) {
        assert!(layer.why_not.is_some() && layer.what_to_do.is_some(), "{layer:?}");
    }
}

#[tokio::test]
async fn a_binary_that_is_no_stage_1_is_noticed() {
    let config = selfmade_sandbox::Config { stage1: Some("/bin/true".into()), ..config() };
    let error = Sandbox::examine(&config).await.unwrap_err();
    assert!(error.to_string().contains("its `main` must call `enter_if_asked` first"), "{error}");
}
