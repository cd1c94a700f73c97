//! The border of a graph, texts, dates, conditions and numbers.

use super::{BlockAlias, Uses};

/// What describes an input or output to people and to their editor.
const SHOWN: &[&str] = &["advanced", "secret", "placeholder_values", "limit_to_placeholder_values"];

const FROM_INPUT: &[(&str, &str)] = &[("result", "output"), ("value", "output")];

const CONVERTING: &[(&str, &str)] = &[("type", "kind")];

pub(super) const TEXTS: &[BlockAlias] = &[
    BlockAlias::new(&["c0a8e994-ebf1-4a9c-a4d8-89d09c86741b"], "AgentInputBlock", "@input")
        .outputs(FROM_INPUT)
        .dropped(SHOWN)
        .kept(),
    BlockAlias::new(&["7fcd3bcb-8e1b-4e69-903d-32d3d4a92158"], "AgentShortTextInputBlock", "@input")
        .outputs(FROM_INPUT)
        .dropped(SHOWN)
        .constants(&[("schema", r#"{"type": "string"}"#)])
        .kept(),
    BlockAlias::new(&["90a56ffb-7024-4b2b-ab50-e26c5e5ab8ba"], "AgentLongTextInputBlock", "@input")
        .outputs(FROM_INPUT)
        .dropped(SHOWN)
        .constants(&[("schema", r#"{"type": "string"}"#)])
        .kept(),
    BlockAlias::new(&["96dae2bb-97a2-41c2-bd2f-13a3b5a8ea98"], "AgentNumberInputBlock", "@input")
        .outputs(FROM_INPUT)
        .dropped(SHOWN)
        .constants(&[("schema", r#"{"type": "number"}"#)])
        .kept(),
    BlockAlias::new(&["655d6fdf-a334-421c-b733-520549c07cd1"], "AgentDropdownInputBlock", "@input")
        .inputs(&[("options", "schema_#_enum"), ("placeholder_values", "schema_#_enum")])
        .outputs(FROM_INPUT)
        .dropped(&["advanced", "secret", "limit_to_placeholder_values"])
        .kept(),
    BlockAlias::new(&["363ae599-353e-4804-937e-b2ee3cef3da4"], "AgentOutputBlock", "@output")
        .outputs(&[("output", "output"), ("value", "output")])
        .dropped(&["format", "escape_html", "advanced", "secret", "placeholder_values"])
        .kept(),
    // A graph is a block under its own name, which whoever places it knows.
    BlockAlias::new(&["e189baac-8c20-45a1-94a7-55177ea42565"], "AgentExecutorBlock", "@call")
        .inputs(&[("inputs", "input"), ("data", "input")])
        .dropped(&[
            "graph_id",
            "graph_version",
            "user_id",
            "input_schema",
            "output_schema",
            "agent_name",
            "nodes_input_masks",
        ])
        .uses(Uses::Graph),
    BlockAlias::new(
        &["cc10ff7b-7753-4ff2-9af6-9399b1a7eddc", "31d1064e-7446-4693-o7d4-65e5ca9110d1"],
        "NoteBlock",
        "@note",
    ),
    BlockAlias::new(&["1ff065e9-88e8-4358-9d82-8dc91f622ba9"], "StoreValueBlock", "@store").kept(),
    BlockAlias::new(&["f3b1c1b2-4c4f-4f0d-8d2f-4c4f0d8d2f4c"], "PrintToConsoleBlock", "print_text"),
    BlockAlias::new(
        &["95d1b990-ce13-4d88-9737-ba5c2070c97b"],
        "UniversalTypeConverterBlock",
        "convert_value",
    )
    .inputs(CONVERTING),
    BlockAlias::new(&["715696a0-e1da-45c8-b209-c2fa9c3b0be6"], "ConditionBlock", "compare_values"),
    BlockAlias::new(&["6dbbc4b3-ca6c-42b6-b508-da52d23e13f2"], "IfInputMatchesBlock", "if_input_matches"),
    BlockAlias::new(&["b1ab9b19-67a6-406d-abf5-2dba76d00c79"], "CalculatorBlock", "calculate"),
    BlockAlias::new(&["db7d8f02-2f44-4c55-ab7a-eae0941f0c30"], "FillTextTemplateBlock", "@template")
        // `texts` and `named_texts` are of July 2024.
        .inputs(&[
            ("format", "template"),
            ("values", "values"),
            ("named_texts", "values"),
            ("texts", "values_#_texts"),
        ])
        .dropped(&["escape_html"]),
    BlockAlias::new(&["e30a4d42-7b7d-4e6a-b36e-1f9b8e3b7d85"], "CombineTextsBlock", "combine_texts")
        // The numbered ones are of templates of 2024.
        .inputs(&[("input", "texts"), ("input1", "texts_$_0"), ("input2", "texts_$_1")]),
    BlockAlias::new(&["3146e4fe-2cdd-4f29-bd12-0c9d5bb4deb0"], "ExtractTextInformationBlock", "extract_text"),
    BlockAlias::new(&["3060088f-6ed9-4928-9ba7-9c92823a7ccd"], "MatchTextPatternBlock", "match_text")
        .inputs(&[("match", "pattern")]),
    BlockAlias::new(&["286380af-9529-4b55-8be0-1d7c854abdb5"], "XMLParserBlock", "parse_xml"),
    BlockAlias::new(&["b29c1b50-5d0e-4d9f-8f9d-1b0e6fcbf0b1"], "GetCurrentDateBlock", "get_date")
        .dropped(&["format"]),
    BlockAlias::new(
        &["716a67b3-6760-42e7-86dc-18645c6e00fc", "b29c1b50-5d0e-4d9f-8f9d-1b0e6fcbf0h2"],
        "GetCurrentDateAndTimeBlock",
        "get_date_and_time",
    ),
    BlockAlias::new(&["a892b8d9-3e4e-4e9c-9c1e-75f8efcf1bfa"], "GetCurrentTimeBlock", "get_time"),
    BlockAlias::new(&["d67a9c52-5e4e-11e2-bcfd-0800200c9a71"], "CountdownTimerBlock", "count_down")
        .inputs(&[("input_message", "message")])
        .outputs(&[("output_message", "message"), ("message", "message")]),
];
