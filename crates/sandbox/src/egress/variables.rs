//! The environment variables by which programs in a cell find the proxy and the certificates.

/// Names and values, for a proxy on `port` of the cell's loopback and a bundle of certificates at `bundle` in the cell.
pub fn proxy_variables(port: u16, bundle: &str) -> Vec<(&'static str, String)> {
    let proxy = format!("http://127.0.0.1:{port}");
    let proxies = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"]
        .map(|name| (name, proxy.clone()));
    let bundles =
        ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"].map(|name| (name, bundle.to_owned()));
    // Empty, so that no list from elsewhere sends a program past the proxy into nothing.
    let direct = ["NO_PROXY", "no_proxy"].map(|name| (name, String::new()));
    proxies.into_iter().chain(bundles).chain(direct).collect()
}
