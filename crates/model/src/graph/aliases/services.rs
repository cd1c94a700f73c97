//! Blocks that ask a service. Its credentials are secrets of the Function, not values of the graph.

use super::{BlockAlias, Uses};

const JINA: Uses = Uses::Service("jina");
const DISCORD: Uses = Uses::Service("discord");
const REDDIT: Uses = Uses::Service("reddit");
const GOOGLE: Uses = Uses::Service("google");
const AIRTABLE: Uses = Uses::Service("airtable");
const FIRECRAWL: Uses = Uses::Service("firecrawl");
const DATAFORSEO: Uses = Uses::Service("dataforseo");
const REPLICATE: Uses = Uses::Service("replicate");

pub(super) const SERVICES: &[BlockAlias] = &[
    BlockAlias::new(
        &["87840993-2053-44b7-8da4-187ad4ee518c", "b2c3d4e5-6f7g-8h9i-0j1k-l2m3n4o5p6q7"],
        "SearchTheWebBlock",
        "search_the_web",
    )
    .dropped(&["credentials"])
    .uses(JINA),
    BlockAlias::new(
        &["436c3984-57fd-4b85-8e9a-459b356883bd", "a1b2c3d4-5e6f-7g8h-9i0j-k1l2m3n4o5p6"],
        "ExtractWebsiteContentBlock",
        "extract_website",
    )
    .dropped(&["credentials"])
    .uses(JINA),
    BlockAlias::new(&["6595ae1f-b924-42cb-9a41-551a0611c4b4"], "SendWebRequestBlock", "send_web_request")
        .dropped(&["files_name", "files"])
        .uses(Uses::Service("http")),
    BlockAlias::new(
        &["f3a8f7e1-4b1d-4e5f-9f2a-7c3d5a2e6b4c"],
        "TranscribeYoutubeVideoBlock",
        "transcribe_youtube",
    )
    .dropped(&["credentials"])
    .uses(Uses::Service("youtube")),
    BlockAlias::new(
        &["f5b0f5d0-1862-4d61-94be-3ad0fa772760", "h5e7f8g9-1b2c-3d4e-5f6g-7h8i9j0k1l2m"],
        "GetWikipediaSummaryBlock",
        "get_wikipedia_summary",
    )
    .uses(Uses::Service("wikipedia")),
    BlockAlias::new(&["f7a8b2c3-6d4e-5f8b-9e7f-6d4e5f8b9e7f"], "GetWeatherInformationBlock", "get_weather")
        .dropped(&["api_key", "credentials"])
        .uses(Uses::Service("openweathermap")),
    BlockAlias::new(
        &["5ebe6768-8e5d-41e3-9134-1c7bd89a8d52", "c6731acb-4105-4zp1-bc9b-03d0036h370g"],
        "ReadRSSFeedBlock",
        "read_rss_entries",
    )
    .inputs(&[("rss_url", "url")])
    .uses(Uses::Service("rss")),
    BlockAlias::new(
        &["df06086a-d5ac-4abb-9996-2ad0acb2eff7", "d3f4g5h6-1i2j-3k4l-5m6n-7o8p9q0r1s2t"],
        "ReadDiscordMessagesBlock",
        "read_discord_messages",
    )
    // A link to it drives the loop of old templates.
    .inputs(&[("discord_bot_token", "trigger")])
    .dropped(&["credentials", "continuous_read"])
    .uses(DISCORD),
    BlockAlias::new(
        &["d0822ab5-9f8a-44a3-8971-531dd0178b6b", "h1i2j3k4-5l6m-7n8o-9p0q-r1s2t3u4v5w6"],
        "SendDiscordMessageBlock",
        "send_discord_message",
    )
    .dropped(&["credentials", "discord_bot_token"])
    .uses(DISCORD),
    BlockAlias::new(&["b3a9c1f2-5d4e-47b3-9c4e-2b6e4d2c4f3e"], "DiscordSendMessage", "post_discord_webhook")
        .uses(DISCORD),
    BlockAlias::new(&["c6731acb-4285-4ee1-bc9b-03d0766c370f"], "GetRedditPostsBlock", "get_reddit_posts")
        .dropped(&["creds", "credentials"])
        .uses(REDDIT),
    BlockAlias::new(
        &["4a92261b-701e-4ffb-8970-675fd28e261f"],
        "PostRedditCommentBlock",
        "post_reddit_comment",
    )
    .dropped(&["creds", "credentials"])
    .uses(REDDIT),
    BlockAlias::new(
        &["4335878a-394e-4e67-adf2-919877ff49ae", "a1234567-89ab-cdef-0123-456789abcdef"],
        "SendEmailBlock",
        "send_email",
    )
    .dropped(&["creds", "credentials", "config"])
    .uses(Uses::Service("smtp")),
    BlockAlias::new(&["3f7b2dcb-4a78-4e3f-b0f1-88132e1b89df"], "PublishToMediumBlock", "publish_to_medium")
        .dropped(&["author_id", "api_key", "credentials"])
        .uses(Uses::Service("medium")),
    BlockAlias::new(
        &["98c6f503-8c47-4b1c-a96d-351fc7c87dab"],
        "CreateTalkingAvatarVideoBlock",
        "create_talking_avatar",
    )
    .dropped(&["api_key", "credentials"])
    .uses(Uses::Service("d_id")),
    missing(&["0b02b072-abe7-11ef-8372-fb5d162dd712"], "ExecuteCodeBlock", Uses::Service("e2b")),
    missing(&["f47ac10b-58cc-4372-a567-0e02b2c3d479"], "GoogleMapsSearchBlock", Uses::Service("google_maps")),
    missing(&["25310c70-b89b-43ba-b25c-4dfa7e2a481c"], "GmailReadBlock", GOOGLE),
    missing(&["6c27abc2-e51d-499e-a85f-5a0041ba94f0"], "GmailSendBlock", GOOGLE),
    missing(&["12bf5a24-9b90-4f40-9090-4e86e6995e60"], "GmailReplyBlock", GOOGLE),
    missing(&["64d2301c-b3f5-4174-8ac0-111ca1e1a7c0"], "GmailForwardBlock", GOOGLE),
    missing(&["f884b2fb-04f4-4265-9658-14f433926ac9"], "GmailAddLabelBlock", GOOGLE),
    missing(&["80bc3ed1-e9a4-449e-8163-a8fc86f74f6a"], "GoogleCalendarReadEventsBlock", GOOGLE),
    missing(&["42527e98-47b6-44ce-ac0e-86b4883721d3"], "AirtableCreateRecordsBlock", AIRTABLE),
    missing(&["f59b88a8-54ce-4676-a508-fd614b4e8dce"], "AirtableCreateBaseBlock", AIRTABLE),
    missing(&["bdbbaba0-03b7-4971-970e-699e2de6015e"], "FirecrawlCrawlBlock", FIRECRAWL),
    missing(&["d1774756-4d9e-40e6-bab1-47ec0ccd81b2"], "FirecrawlExtractBlock", FIRECRAWL),
    missing(&["f0f43e2b-c943-48a0-a7f1-40136ca4d3b9"], "FirecrawlMapWebsiteBlock", FIRECRAWL),
    missing(&["8f2e4d6a-1b3c-4a5e-9d7f-2c8e6a4b3f1d"], "DataForSeoRelatedKeywordsBlock", DATAFORSEO),
    missing(&["73c3e7c4-2b3f-4e9f-9e3e-8f7a5c3e2d45"], "DataForSeoKeywordSuggestionsBlock", DATAFORSEO),
    missing(
        &["ee4fe08c-18f9-442f-a985-235379b932e1"],
        "WordPressCreatePostBlock",
        Uses::Service("wordpress"),
    ),
    missing(&["6ab085e2-20b3-4055-bc3e-08036e01eca6"], "IdeogramModelBlock", Uses::Service("ideogram")),
    missing(&["90f8c45e-e983-4644-aa0b-b4ebe2f531bc"], "ReplicateFluxAdvancedModelBlock", REPLICATE),
    missing(&["ed1ae7a0-b770-4089-b520-1f0005fad19a"], "AIImageGeneratorBlock", REPLICATE),
    missing(
        &["361697fb-0c4f-4feb-aed3-8320c88c771b"],
        "AIShortformVideoCreatorBlock",
        Uses::Service("revid"),
    ),
    // It wrote Python files into the server and imported them. Functions are added by changesets here.
    BlockAlias::new(&["45e78db5-03e9-447f-9395-308d712f5f08"], "BlockInstallationBlock", "install_block")
        .inputs(&[("code", "source")]),
];

const fn missing(ids: &'static [&'static str], class: &'static str, uses: Uses) -> BlockAlias {
    BlockAlias::new(ids, class, "").uses(uses)
}
