//! Blocks that ask a language model. Which one, and with which key, is a setting of the server.

use super::{BlockAlias, Uses};

const SETTINGS: &[&str] =
    &["api_key", "credentials", "ollama_host", "force_json_output", "compress_prompt_to_fit"];

pub(super) const MODELS: &[BlockAlias] = &[
    BlockAlias::new(&["1f292d4a-41a4-4977-9684-7c8d560b9f91"], "AITextGeneratorBlock", "generate_text")
        .dropped(SETTINGS)
        .uses(Uses::Model),
    BlockAlias::new(
        &["ed55ac19-356e-4243-a6cb-bc599e9b716f"],
        "AIStructuredResponseGeneratorBlock",
        "generate_structured",
    )
    .dropped(SETTINGS)
    .uses(Uses::Model),
    BlockAlias::new(
        &["32a87eab-381e-4dd4-bdb8-4c47151be35a", "c3d4e5f6-g7h8-i9j0-k1l2-m3n4o5p6q7r8"],
        "AIConversationBlock",
        "converse",
    )
    .dropped(SETTINGS)
    .uses(Uses::Model),
    BlockAlias::new(
        &["a0a69be1-4528-491c-a85a-a4ab6873e3f0", "c3d4e5f6-7g8h-9i0j-1k2l-m3n4o5p6q7r8"],
        "AITextSummarizerBlock",
        "summarise_text",
    )
    .dropped(SETTINGS)
    .uses(Uses::Model),
    BlockAlias::new(&["9c0b0450-d199-458b-a731-072189dd6593"], "AIListGeneratorBlock", "generate_list")
        .dropped(SETTINGS)
        .uses(Uses::Model),
    // A tool pin `tools_^_NAME_~_FIELD` is `tools_#_NAME_#_FIELD` here, and the constant `functions` describes the tools.
    BlockAlias::new(&["3b191d9f-356f-482d-8238-ba04b6d18381"], "OrchestratorBlock", "choose_tools")
        .dropped(&[
            "api_key",
            "credentials",
            "ollama_host",
            "agent_mode_max_iterations",
            "execution_mode",
            "conversation_compaction",
        ])
        .uses(Uses::Model),
    BlockAlias::new(&["d2e2ecd2-9ae6-422d-8dfe-ceca500ce6a6"], "AutoGPTAgentBlock", "pursue_task")
        .dropped(&["openai_api_key"])
        .uses(Uses::Model),
];
