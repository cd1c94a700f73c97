//! Blocks by themselves.

use serde_json::{Value, json};
use store::testing::TestDatabase;

use super::{API, Autogpt, CALCULATE, FIND, INPUT, ITERATE, OUTPUT, PRINT, STORE, TEMPLATE};

const ADD_TO_DICTIONARY: &str = "31d1064e-7446-4693-a7d4-65e5ca1180d1";
const ADD_TO_LIST: &str = "aeb08fc1-2fc1-4141-bc8e-f758f183a822";
const CONDITION: &str = "715696a0-e1da-45c8-b209-c2fa9c3b0be6";
const READ_CSV: &str = "acf7625e-d2cb-4941-bfeb-2819fc6fc015";
const COUNT: &str = "3c9c2f42-b0c3-435f-ba35-05f7a25c772a";
const COMBINE: &str = "e30a4d42-7b7d-4e6a-b36e-1f9b8e3b7d85";
const EXTRACT: &str = "3146e4fe-2cdd-4f29-bd12-0c9d5bb4deb0";
const MATCH: &str = "3060088f-6ed9-4928-9ba7-9c92823a7ccd";
const COUNT_DOWN: &str = "d67a9c52-5e4e-11e2-bcfd-0800200c9a71";

/// The blocks of August 2024, by their ids then.
const BLOCKS: [(&str, &str); 40] = [
    ("31d1064e-7446-4693-a7d4-65e5ca1180d1", "AddToDictionaryBlock"),
    ("aeb08fc1-2fc1-4141-bc8e-f758f183a822", "AddToListBlock"),
    ("b2g2c3d4-5e6f-7g8h-9i0j-k1l2m3n4o5p6", "FindInDictionaryBlock"),
    ("c0a8e994-ebf1-4a9c-a4d8-89d09c86741b", "InputBlock"),
    ("363ae599-353e-4804-937e-b2ee3cef3da4", "OutputBlock"),
    ("f3b1c1b2-4c4f-4f0d-8d2f-4c4f0d8d2f4c", "PrintToConsoleBlock"),
    ("1ff065e9-88e8-4358-9d82-8dc91f622ba9", "StoreValueBlock"),
    ("715696a0-e1da-45c8-b209-c2fa9c3b0be6", "ConditionBlock"),
    ("acf7625e-d2cb-4941-bfeb-2819fc6fc015", "ReadCsvBlock"),
    ("d3f4g5h6-1i2j-3k4l-5m6n-7o8p9q0r1s2t", "ReadDiscordMessagesBlock"),
    ("h1i2j3k4-5l6m-7n8o-9p0q-r1s2t3u4v5w6", "SendDiscordMessageBlock"),
    ("a1234567-89ab-cdef-0123-456789abcdef", "SendEmailBlock"),
    ("6595ae1f-b924-42cb-9a41-551a0611c4b4", "SendWebRequestBlock"),
    ("f8e7d6c5-b4a3-2c1d-0e9f-8g7h6i5j4k3l", "ListIteratorBlock"),
    ("c3d4e5f6-g7h8-i9j0-k1l2-m3n4o5p6q7r8", "AIConversationBlock"),
    ("ed55ac19-356e-4243-a6cb-bc599e9b716f", "AIStructuredResponseGeneratorBlock"),
    ("1f292d4a-41a4-4977-9684-7c8d560b9f91", "AITextGeneratorBlock"),
    ("c3d4e5f6-7g8h-9i0j-1k2l-m3n4o5p6q7r8", "TextSummarizerBlock"),
    ("b1ab9b19-67a6-406d-abf5-2dba76d00c79", "CalculatorBlock"),
    ("3c9c2f42-b0c3-435f-ba35-05f7a25c772a", "CountItemsBlock"),
    ("3f7b2dcb-4a78-4e3f-b0f1-88132e1b89df", "PublishToMediumBlock"),
    ("c6731acb-4285-4ee1-bc9b-03d0766c370f", "GetRedditPostsBlock"),
    ("4a92261b-701e-4ffb-8970-675fd28e261f", "PostRedditCommentBlock"),
    ("c6731acb-4105-4zp1-bc9b-03d0036h370g", "ReadRSSFeedBlock"),
    ("a1b2c3d4-5e6f-7g8h-9i0j-k1l2m3n4o5p6", "ExtractWebsiteContentBlock"),
    ("f7a8b2c3-6d4e-5f8b-9e7f-6d4e5f8b9e7f", "GetWeatherInformationBlock"),
    ("h5e7f8g9-1b2c-3d4e-5f6g-7h8i9j0k1l2m", "GetWikipediaSummaryBlock"),
    ("b2c3d4e5-6f7g-8h9i-0j1k-l2m3n4o5p6q7", "SearchTheWebBlock"),
    ("98c6f503-8c47-4b1c-a96d-351fc7c87dab", "CreateTalkingAvatarVideoBlock"),
    ("e30a4d42-7b7d-4e6a-b36e-1f9b8e3b7d85", "CombineTextsBlock"),
    ("3146e4fe-2cdd-4f29-bd12-0c9d5bb4deb0", "ExtractTextInformationBlock"),
    ("db7d8f02-2f44-4c55-ab7a-eae0941f0c30", "FillTextTemplateBlock"),
    ("3060088f-6ed9-4928-9ba7-9c92823a7ccd", "MatchTextPatternBlock"),
    ("d67a9c52-5e4e-11e2-bcfd-0800200c9a71", "CountdownTimerBlock"),
    ("b29c1b50-5d0e-4d9f-8f9d-1b0e6fcbf0h2", "GetCurrentDateAndTimeBlock"),
    ("b29c1b50-5d0e-4d9f-8f9d-1b0e6fcbf0b1", "GetCurrentDateBlock"),
    ("a892b8d9-3e4e-4e9c-9c1e-75f8efcf1bfa", "GetCurrentTimeBlock"),
    ("f3a8f7e1-4b1d-4e5f-9f2a-7c3d5a2e6b4c", "TranscribeYouTubeVideoBlock"),
    ("d2e2ecd2-9ae6-422d-8dfe-ceca500ce6a6", "AutoGPTAgentBlock"),
    ("45e78db5-03e9-447f-9395-308d712f5f08", "BlockInstallationBlock"),
];

/// What blocks that reach nothing outside give for what: block, input, outputs. What they match is listed by those of today, too.
fn vectors() -> Vec<(&'static str, Value, Value)> {
    vec![
        (
            ADD_TO_DICTIONARY,
            json!({"dictionary": {"key1": "value1"}, "key": "key2", "value": "value2"}),
            json!({"updated_dictionary": [{"key1": "value1", "key2": "value2"}]}),
        ),
        (
            ADD_TO_DICTIONARY,
            json!({"key": "key1", "value": "value1"}),
            json!({"updated_dictionary": [{"key1": "value1"}]}),
        ),
        (
            ADD_TO_LIST,
            json!({"list": [1, "string", {"k": "v"}], "entry": "new", "position": 1}),
            json!({"updated_list": [[1, "new", "string", {"k": "v"}]]}),
        ),
        (ADD_TO_LIST, json!({"entry": "first"}), json!({"updated_list": [["first"]]})),
        (ADD_TO_LIST, json!({"list": ["a", "b"], "entry": 0}), json!({"updated_list": [["a", "b", 0]]})),
        (FIND, json!({"input": {"apple": 1, "banana": 2}, "key": "banana"}), json!({"output": [2]})),
        (FIND, json!({"input": {"x": 10}, "key": "z"}), json!({"missing": [{"x": 10}]})),
        (FIND, json!({"input": [1, 2, 3], "key": 1}), json!({"output": [2]})),
        (FIND, json!({"input": [1, 2, 3], "key": 3}), json!({"missing": [[1, 2, 3]]})),
        (FIND, json!({"input": [{"k": "a"}, {"k": "b"}], "key": "k"}), json!({"output": [["a", "b"]]})),
        (INPUT, json!({"value": "Hello", "name": "input_1"}), json!({"value": ["Hello"]})),
        (INPUT, json!({"value": {"key": "value"}, "name": "input_2"}), json!({"value": [{"key": "value"}]})),
        (OUTPUT, json!({"value": "Hello", "name": "o"}), json!({"value": ["Hello"]})),
        (PRINT, json!({"text": "Hello"}), json!({"status": ["printed"]})),
        (STORE, json!({"input": "x"}), json!({"output": ["x"]})),
        (STORE, json!({"input": "x", "data": ""}), json!({"output": [""]})),
        (
            CONDITION,
            json!({"value1": 10, "operator": ">", "value2": 5, "yes_value": "Greater", "no_value": "Not"}),
            json!({"result": [true], "yes_output": ["Greater"]}),
        ),
        (
            READ_CSV,
            json!({"contents": "a, b, c\n1,2,3\n4,5,6"}),
            json!({"data": [{"a": "1", "b": "2", "c": "3"}, {"a": "4", "b": "5", "c": "6"}]}),
        ),
        (
            ITERATE,
            json!({"items": [1, "two", {"three": 3}]}),
            json!({"item": [[0, 1], [1, "two"], [2, {"three": 3}]]}),
        ),
        (
            CALCULATE,
            json!({"operation": "Add", "a": 10, "b": 5, "round_result": false}),
            json!({"result": [15]}),
        ),
        (COUNT, json!({"collection": [1, 2, 3, 4, 5]}), json!({"count": [5]})),
        (
            COMBINE,
            json!({"input": ["Hello world I like ", "cake and to go for walks"]}),
            json!({"output": ["Hello world I like cake and to go for walks"]}),
        ),
        (COMBINE, json!({"input": ["a", "b"], "delimiter": "-"}), json!({"output": ["a-b"]})),
        (
            EXTRACT,
            json!({"text": "Hello, World!", "pattern": "Hello, (.+)", "group": 1}),
            json!({"positive": ["World!"], "matched_results": [["World!"]], "matched_count": [1]}),
        ),
        (
            EXTRACT,
            json!({"text": "Hello, World!", "pattern": "Hello, (.+)", "group": 0}),
            json!({"positive": ["Hello, World!"], "matched_results": [["Hello, World!"]], "matched_count": [1]}),
        ),
        (
            EXTRACT,
            json!({"text": "Hello, World!", "pattern": "Hello, (.+)", "group": 2}),
            json!({"negative": ["Hello, World!"], "matched_results": [[]], "matched_count": [0]}),
        ),
        (
            EXTRACT,
            json!({"text": "Hello, World!", "pattern": "hello,", "case_sensitive": true}),
            json!({"negative": ["Hello, World!"], "matched_results": [[]], "matched_count": [0]}),
        ),
        (
            TEMPLATE,
            json!({"values": {"name": "Alice", "hello": "Hello", "world": "World!"}, "format": "{hello}, {world} {{name}}"}),
            json!({"output": ["Hello, World! Alice"]}),
        ),
        (
            TEMPLATE,
            json!({"values": {"list": ["Hello", " World!"]}, "format": "{% for item in list %}{{ item }}{% endfor %}"}),
            json!({"output": ["Hello World!"]}),
        ),
        (
            MATCH,
            json!({"text": "ABC", "match": "ab", "data": "X", "case_sensitive": false}),
            json!({"positive": ["X"]}),
        ),
        (
            MATCH,
            json!({"text": "ABC", "match": "ab", "data": "Y", "case_sensitive": true}),
            json!({"negative": ["Y"]}),
        ),
        (MATCH, json!({"text": "Hello World!", "match": ".orld.+", "data": "Z"}), json!({"positive": ["Z"]})),
        (
            MATCH,
            json!({"text": "Hello World!", "match": "World![a-z]+", "data": "Z"}),
            json!({"negative": ["Z"]}),
        ),
        (COUNT_DOWN, json!({"seconds": 0}), json!({"message": ["timer finished"]})),
        (
            COUNT_DOWN,
            json!({"seconds": 0, "message": "Custom message"}),
            json!({"message": ["Custom message"]}),
        ),
    ]
}

store::on_both! {
    async fn blocks_do_what_their_own_vectors_say(database: &TestDatabase) {
        let autogpt = Autogpt::open(database).await;
        for (block, input, expected) in vectors() {
            assert_eq!(autogpt.post(&format!("{API}/blocks/{block}/execute"), &input), expected, "{block} of {input}");
        }
        let listed = autogpt.get(&format!("{API}/blocks"));
        for (id, class) in BLOCKS {
            let block = listed.as_array().unwrap().iter().find(|block| block["id"] == id);
            let block = block.unwrap_or_else(|| panic!("`{class}` is missing"));
            assert!(block["inputSchema"]["properties"].is_object() && block["outputSchema"]["properties"].is_object(), "{block}");
        }
    }
}
