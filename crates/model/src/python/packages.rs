//! Which package provides an import. Most packages are called like what they provide; the table holds those that are
//! not, and the parts of name spaces that many packages share.

use std::collections::HashSet;

use super::imports::Import;
use super::stdlib::is_standard_library;
use crate::function::requirement::Requirement;

/// The requirements that imports imply: each package once, by first appearance, the standard library left out.
pub fn requirements(imports: &[Import]) -> Vec<Requirement> {
    let mut seen = HashSet::new();
    let outside = imports.iter().filter(|import| !is_standard_library(&import.module));
    let implied = outside.map(|import| Requirement {
        import: import.module.clone(),
        package: package_of(&import.path).to_owned(),
    });
    implied.filter(|requirement| seen.insert(requirement.package_name())).collect()
}

/// The package that provides a dotted import path, by the longest part of it that is known.
pub fn package_of(path: &str) -> &str {
    let mut known = path;
    loop {
        if let Ok(at) = PACKAGES.binary_search_by_key(&known, |(import, _)| import) {
            return PACKAGES[at].1;
        }
        match known.rsplit_once('.') {
            Some((shorter, _)) => known = shorter,
            None => return known,
        }
    }
}

/// Packages that many functions use, to suggest one for a misspelt name.
pub fn known_packages() -> Vec<&'static str> {
    let mut known: Vec<&str> =
        PACKAGES.iter().map(|(_, package)| *package).chain(POPULAR.iter().copied()).collect();
    known.sort_unstable();
    known.dedup();
    known
}

#[rustfmt::skip] // One name a line would be a page without a reader.
const POPULAR: &[&str] = &[
    "aiohttp", "anthropic", "arrow", "attrs", "beautifulsoup4", "boto3", "chardet", "click", "cryptography", "duckdb",
    "faker", "fastapi", "feedparser", "flask", "html5lib", "httpx", "jinja2", "jsonschema", "loguru", "lxml", "markdown",
    "matplotlib", "mypy", "networkx", "nltk", "numpy", "openai", "openpyxl", "orjson", "pandas", "paramiko", "pendulum",
    "pillow", "plotly", "polars", "psutil", "psycopg", "pyarrow", "pydantic", "pygments", "pymongo", "pypdf", "pytest",
    "pytz", "redis", "regex", "reportlab", "requests", "rich", "scikit-learn", "scipy", "seaborn", "setuptools",
    "shapely", "six", "spacy", "sqlalchemy", "statsmodels", "stripe", "sympy", "tabulate", "tenacity", "tiktoken",
    "tqdm", "transformers", "urllib3", "websockets", "xlsxwriter", "yarl",
];

/// The import name that a package most likely provides.
pub(crate) fn import_of(package: &str) -> String {
    let matches = |(_, known): &&(&str, &str)| normal(known) == normal(package);
    match PACKAGES.iter().find(matches) {
        Some((import, _)) => super::imports::top_level(import).to_owned(),
        None => normal(package),
    }
}

fn normal(package: &str) -> String {
    package.to_ascii_lowercase().replace(['-', '.'], "_")
}

/// Import path and package, sorted by path.
const PACKAGES: &[(&str, &str)] = &[
    ("AppKit", "pyobjc-framework-Cocoa"),
    ("Bio", "biopython"),
    ("Crypto", "pycryptodome"),
    ("Cryptodome", "pycryptodomex"),
    ("Foundation", "pyobjc-framework-Cocoa"),
    ("Levenshtein", "python-Levenshtein"),
    ("MySQLdb", "mysqlclient"),
    ("OpenGL", "PyOpenGL"),
    ("OpenSSL", "pyOpenSSL"),
    ("PIL", "pillow"),
    ("Xlib", "python-xlib"),
    ("airtable", "airtable-python-wrapper"),
    ("apiclient", "google-api-python-client"),
    ("apt_pkg", "python-apt"),
    ("arango", "python-arango"),
    ("attr", "attrs"),
    ("azure.ai.inference", "azure-ai-inference"),
    ("azure.ai.textanalytics", "azure-ai-textanalytics"),
    ("azure.core", "azure-core"),
    ("azure.cosmos", "azure-cosmos"),
    ("azure.data.tables", "azure-data-tables"),
    ("azure.eventhub", "azure-eventhub"),
    ("azure.identity", "azure-identity"),
    ("azure.keyvault.keys", "azure-keyvault-keys"),
    ("azure.keyvault.secrets", "azure-keyvault-secrets"),
    ("azure.servicebus", "azure-servicebus"),
    ("azure.storage.blob", "azure-storage-blob"),
    ("azure.storage.queue", "azure-storage-queue"),
    ("backports.zoneinfo", "backports.zoneinfo"),
    ("bidi", "python-bidi"),
    ("bluetooth", "PyBluez"),
    ("box", "python-box"),
    ("bs4", "beautifulsoup4"),
    ("bson", "pymongo"),
    ("cairo", "pycairo"),
    ("can", "python-can"),
    ("cassandra", "cassandra-driver"),
    ("clr", "pythonnet"),
    ("constraint", "python-constraint"),
    ("consul", "python-consul"),
    ("crontab", "python-crontab"),
    ("cv2", "opencv-python"),
    ("dateutil", "python-dateutil"),
    ("discord", "discord.py"),
    ("dns", "dnspython"),
    ("docx", "python-docx"),
    ("dotenv", "python-dotenv"),
    ("editor", "python-editor"),
    ("engineio", "python-engineio"),
    ("faiss", "faiss-cpu"),
    ("ffmpeg", "ffmpeg-python"),
    ("firecrawl", "firecrawl-py"),
    ("fitz", "PyMuPDF"),
    ("frontmatter", "python-frontmatter"),
    ("gi", "PyGObject"),
    ("git", "GitPython"),
    ("github", "PyGithub"),
    ("gitlab", "python-gitlab"),
    ("google.ai.generativelanguage", "google-ai-generativelanguage"),
    ("google.analytics.data", "google-analytics-data"),
    ("google.api_core", "google-api-core"),
    ("google.auth", "google-auth"),
    ("google.cloud.aiplatform", "google-cloud-aiplatform"),
    ("google.cloud.bigquery", "google-cloud-bigquery"),
    ("google.cloud.documentai", "google-cloud-documentai"),
    ("google.cloud.firestore", "google-cloud-firestore"),
    ("google.cloud.language", "google-cloud-language"),
    ("google.cloud.logging", "google-cloud-logging"),
    ("google.cloud.pubsub", "google-cloud-pubsub"),
    ("google.cloud.pubsub_v1", "google-cloud-pubsub"),
    ("google.cloud.secretmanager", "google-cloud-secret-manager"),
    ("google.cloud.spanner", "google-cloud-spanner"),
    ("google.cloud.speech", "google-cloud-speech"),
    ("google.cloud.storage", "google-cloud-storage"),
    ("google.cloud.tasks", "google-cloud-tasks"),
    ("google.cloud.tasks_v2", "google-cloud-tasks"),
    ("google.cloud.texttospeech", "google-cloud-texttospeech"),
    ("google.cloud.translate", "google-cloud-translate"),
    ("google.cloud.vision", "google-cloud-vision"),
    ("google.genai", "google-genai"),
    ("google.generativeai", "google-generativeai"),
    ("google.oauth2", "google-auth"),
    ("google.protobuf", "protobuf"),
    ("googleapiclient", "google-api-python-client"),
    ("googlesearch", "googlesearch-python"),
    ("grpc", "grpcio"),
    ("grpc_status", "grpcio-status"),
    ("grpc_tools", "grpcio-tools"),
    ("haystack", "haystack-ai"),
    ("hcl2", "python-hcl2"),
    ("jenkins", "python-jenkins"),
    ("jose", "python-jose"),
    ("jwt", "PyJWT"),
    ("kafka", "kafka-python"),
    ("keycloak", "python-keycloak"),
    ("ldap", "python-ldap"),
    ("llama_cpp", "llama-cpp-python"),
    ("logstash", "python-logstash"),
    ("magic", "python-magic"),
    ("mastodon", "Mastodon.py"),
    ("memcache", "python-memcached"),
    ("mpd", "python-mpd2"),
    ("mpl_toolkits", "matplotlib"),
    ("multipart", "python-multipart"),
    ("mx", "egenix-mx-base"),
    ("mysql.connector", "mysql-connector-python"),
    ("nacl", "PyNaCl"),
    ("newspaper", "newspaper3k"),
    ("odf", "odfpy"),
    ("opentelemetry.sdk", "opentelemetry-sdk"),
    ("opentelemetry.trace", "opentelemetry-api"),
    ("osgeo", "GDAL"),
    ("paho.mqtt", "paho-mqtt"),
    ("past", "future"),
    ("pkg_resources", "setuptools"),
    ("playhouse", "peewee"),
    ("pptx", "python-pptx"),
    ("psycopg2", "psycopg2-binary"),
    ("pylab", "matplotlib"),
    ("pythoncom", "pywin32"),
    ("pywintypes", "pywin32"),
    ("rest_framework", "djangorestframework"),
    ("ruamel.yaml", "ruamel.yaml"),
    ("serial", "pyserial"),
    ("shapefile", "pyshp"),
    ("skimage", "scikit-image"),
    ("sklearn", "scikit-learn"),
    ("slugify", "python-slugify"),
    ("smartcard", "pyscard"),
    ("snap7", "python-snap7"),
    ("snappy", "python-snappy"),
    ("snowflake.connector", "snowflake-connector-python"),
    ("snowflake.snowpark", "snowflake-snowpark-python"),
    ("social_django", "social-auth-app-django"),
    ("socketio", "python-socketio"),
    ("socks", "PySocks"),
    ("speech_recognition", "SpeechRecognition"),
    ("stdnum", "python-stdnum"),
    ("surprise", "scikit-surprise"),
    ("tabula", "tabula-py"),
    ("tavily", "tavily-python"),
    ("telebot", "pyTelegramBotAPI"),
    ("telegram", "python-telegram-bot"),
    ("tlz", "toolz"),
    ("twitter", "python-twitter"),
    ("usb", "pyusb"),
    ("vlc", "python-vlc"),
    ("websocket", "websocket-client"),
    ("webview", "pywebview"),
    ("whisper", "openai-whisper"),
    ("wikipediaapi", "Wikipedia-API"),
    ("win32api", "pywin32"),
    ("win32com", "pywin32"),
    ("win32con", "pywin32"),
    ("win32gui", "pywin32"),
    ("wordpress_xmlrpc", "python-wordpress-xmlrpc"),
    ("wx", "wxPython"),
    ("yaml", "PyYAML"),
    ("zmq", "pyzmq"),
];

#[cfg(test)]
mod tests {
    use super::PACKAGES;

    #[test]
    fn the_table_is_sorted_because_it_is_searched_by_halving() {
        assert!(PACKAGES.is_sorted());
    }
}
