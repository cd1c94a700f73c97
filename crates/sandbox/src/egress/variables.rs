//! The environment variables by which programs in a cell find the proxy and the certificates.

/// Both spellings are in use.
const PROXIES: [&str; 6] =
    ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];
/// Python's `ssl` and `httpx`, `requests`, `curl`, Amazon's, Google's and gRPC's clients each look for their own.
const BUNDLES: [&str; 6] = [
    "SSL_CERT_FILE",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "AWS_CA_BUNDLE",
    "HTTPLIB2_CA_CERTS",
    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
];
/// Empty, so that no list from elsewhere sends a program past the proxy into nothing.
const DIRECT: [&str; 2] = ["NO_PROXY", "no_proxy"];

/// Names and values, for a proxy on `port` of the cell's loopback and a bundle of certificates at `bundle` in the cell.
pub fn proxy_variables(port: u16, bundle: &str) -> Vec<(&'static str, String)> {
    let proxy = format!("http://127.0.0.1:{port}");
    let proxies = PROXIES.into_iter().map(|name| (name, proxy.clone()));
    let bundles = BUNDLES.into_iter().map(|name| (name, bundle.to_owned()));
    proxies.chain(bundles).chain(DIRECT.into_iter().map(|name| (name, String::new()))).collect()
}
