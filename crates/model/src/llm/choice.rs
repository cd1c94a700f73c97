//! Which model is asked: by role or by name.

use thiserror::Error;

use super::stored::{Llm, Role};

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ChoiceError {
    /// Three lines: what is missing, and two ways to have it.
    #[error(
        "no language model is configured\non this machine: start one (`ollama serve`), then `selfmade model add local --url http://127.0.0.1:11434/v1 --model NAME`\nby a provider: `selfmade secret set openai_api_key`, then `selfmade model add gpt --url https://api.openai.com/v1 --model NAME --key-secret openai_api_key`"
    )]
    None,
    #[error(
        "no model has the role `embed`; `selfmade model add NAME --url URL --model ID --role embed` adds one"
    )]
    NoEmbeddings,
    #[error("there is no model `{wanted}`; there {known}, and the roles `strong`, `fast` and `embed`")]
    Unknown { wanted: String, known: String },
}

/// The model of a role or name. A role that no model has falls to another of the same kind: `fast` to `strong`, `strong` to `fast`,
/// and both to the only model that is not for embeddings alone.
pub fn choose<'a>(models: &'a [Llm], wanted: &str) -> Result<&'a Llm, ChoiceError> {
    if models.is_empty() {
        return Err(ChoiceError::None);
    }
    let Ok(role) = wanted.parse::<Role>() else {
        return models
            .iter()
            .find(|model| model.name.as_str() == wanted)
            .ok_or_else(|| unknown(models, wanted));
    };
    let with = |role: Role| models.iter().find(|model| model.roles.contains(&role));
    match role {
        Role::Embed => with(role).ok_or(ChoiceError::NoEmbeddings),
        Role::Strong => {
            with(role).or_else(|| with(Role::Fast)).or_else(|| chats(models)).ok_or(ChoiceError::None)
        }
        Role::Fast => {
            with(role).or_else(|| with(Role::Strong)).or_else(|| chats(models)).ok_or(ChoiceError::None)
        }
    }
}

fn chats(models: &[Llm]) -> Option<&Llm> {
    models.iter().find(|model| model.roles.iter().ne([&Role::Embed]))
}

fn unknown(models: &[Llm], wanted: &str) -> ChoiceError {
    let names: Vec<String> = models.iter().map(|model| format!("`{}`", model.name)).collect();
    let verb = if names.len() == 1 { "is" } else { "are" };
    ChoiceError::Unknown {
        wanted: crate::phrase::cut(wanted, 80),
        known: format!("{verb} {}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::access::actor::Actor;
    use crate::llm::{KeySource, Price, Profile, Protocol};

    fn model(name: &str, roles: &[Role]) -> Llm {
        Llm {
            name: name.parse().unwrap(),
            protocol: Protocol::ChatCompletions,
            base_url: "http://h".to_owned(),
            model_id: name.to_owned(),
            key: KeySource::None,
            roles: roles.iter().copied().collect(),
            price: Price::default(),
            profile: Profile::usual(Protocol::ChatCompletions),
            probed_at: None,
            updated_at: Timestamp::UNIX_EPOCH,
            updated_by: Actor::CommandLine,
        }
    }

    fn chosen(models: &[Llm], wanted: &str) -> String {
        choose(models, wanted).map_or_else(|error| error.to_string(), |model| model.name.to_string())
    }

    #[test]
    fn a_model_is_found_by_name_or_by_role() {
        let models = [model("a", &[]), model("b", &[Role::Fast]), model("e", &[Role::Embed])];
        assert_eq!(chosen(&models, "a"), "a");
        assert_eq!(chosen(&models, "fast"), "b");
        assert_eq!(chosen(&models, "strong"), "b", "a role that nobody has falls to the other");
        assert_eq!(chosen(&models, "embed"), "e");
        assert_eq!(chosen(&models[..1], "strong"), "a", "the only one is for everything");
        assert_eq!(
            chosen(&models[..2], "c"),
            "there is no model `c`; there are `a`, `b`, and the roles `strong`, `fast` and `embed`"
        );
        assert!(chosen(&models[..2], "embed").contains("--role embed"));
        assert!(chosen(&models[2..], "strong").starts_with("no language model is configured"));
    }

    #[test]
    fn with_none_the_error_says_what_to_do_in_three_lines() {
        let said = chosen(&[], "strong");
        assert_eq!(said.lines().count(), 3);
        assert!(said.contains("selfmade model add") && said.contains("selfmade secret set"), "{said}");
    }
}
