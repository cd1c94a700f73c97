//! Packages, derived from imports or stated.

use selfmade_model::function::requirement::Requirement;
use selfmade_model::python::{analyse, is_standard_library, package_of, requirements};

#[test]
fn imports_imply_packages_once_each_without_the_standard_library() {
    let analysis = analyse(
        "def f():\n    import os, json, xml.etree, distutils, tomllib, annotationlib\n    import bs4, yaml, requests\n    from bs4 import element\n    from google.cloud import storage, bigquery\n    import paho.mqtt.client\n    from PIL import Image\n    import selfmade\n",
    )
    .unwrap();
    let stated: Vec<String> =
        requirements(&analysis.imports).iter().map(|r| format!("{}={}", r.import, r.package)).collect();
    assert_eq!(
        stated,
        [
            "bs4=beautifulsoup4",
            "yaml=PyYAML",
            "requests=requests",
            "google=google-cloud-storage",
            "google=google-cloud-bigquery",
            "paho=paho-mqtt",
            "PIL=pillow"
        ]
    );
}

#[test]
fn packages_with_another_name_than_their_import_are_known() {
    for (import, package) in [
        ("cv2", "opencv-python"),
        ("sklearn.metrics", "scikit-learn"),
        ("dateutil", "python-dateutil"),
        ("dotenv", "python-dotenv"),
        ("firecrawl", "firecrawl-py"),
        ("jwt", "PyJWT"),
        ("Crypto.Cipher", "pycryptodome"),
        ("psycopg2", "psycopg2-binary"),
        ("win32api", "pywin32"),
        ("serpapi", "serpapi"),
        ("litellm", "litellm"),
    ] {
        assert_eq!(package_of(import), package);
    }
}

#[test]
fn the_standard_library_of_every_supported_version_is_known() {
    for module in ["os", "tomllib", "distutils", "imp", "asyncore", "zoneinfo", "compression", "_thread"] {
        assert!(is_standard_library(module), "{module}");
    }
    for module in ["requests", "numpy", "yaml", "attr", ""] {
        assert!(!is_standard_library(module), "{module}");
    }
}

#[test]
fn stated_requirements_are_read() {
    for (stated, import, package) in [
        ("httpx", "httpx", "httpx"),
        (" httpx >= 0.27, <1 ", "httpx", "httpx >= 0.27, <1"),
        ("httpx[http2,cli]~=0.27", "httpx", "httpx[http2,cli]~=0.27"),
        ("beautifulsoup4==4.*", "bs4", "beautifulsoup4==4.*"),
        ("scikit_learn", "sklearn", "scikit_learn"),
        ("Some-Package", "some_package", "Some-Package"),
        ("bs4=beautifulsoup4>=4.12", "bs4", "beautifulsoup4>=4.12"),
        ("tomli>=2; python_version < '3.11'", "tomli", "tomli>=2; python_version < '3.11'"),
        ("numpy (>=1.26,!=2.0.0)", "numpy", "numpy (>=1.26,!=2.0.0)"),
        ("torch==2.1.0+cpu", "torch", "torch==2.1.0+cpu"),
    ] {
        let requirement = Requirement::parse(stated).unwrap_or_else(|error| panic!("{stated}: {error}"));
        assert_eq!((requirement.import.as_str(), requirement.package.as_str()), (import, package));
    }
    assert_eq!(Requirement::parse("Flask_SQLAlchemy>=3").unwrap().package_name(), "flask-sqlalchemy");
}

#[test]
fn what_is_not_a_package_of_the_index_is_refused_with_a_reason() {
    let refused = |stated: &str| Requirement::parse(stated).unwrap_err().to_string();
    insta::assert_snapshot!(refused(""), @"a requirement is empty; name a package, such as `httpx` or `httpx>=0.27`");
    insta::assert_snapshot!(refused("--index-url https://evil"), @"`--index-url https://evil` is an option of pip; name packages only, and set indexes in the server's configuration");
    insta::assert_snapshot!(refused("git+https://x/y.git"), @"`git+https://x/y.git` is a URL or a path; only packages of the configured index are installed");
    insta::assert_snapshot!(refused("pkg @ https://x/y.whl"), @"`pkg @ https://x/y.whl` is a URL or a path; only packages of the configured index are installed");
    insta::assert_snapshot!(refused("./local"), @"`./local` is a URL or a path; only packages of the configured index are installed");
    insta::assert_snapshot!(refused("_private"), @"`_private` does not begin with a package name of letters, digits, `-`, `_` and `.`");
    insta::assert_snapshot!(refused("httpx[http2"), @"the extras of `httpx[http2` are not a list of names in brackets, such as `[http2,cli]`");
    insta::assert_snapshot!(refused("httpx 0.27"), @"`0.27` in `httpx 0.27` is not a version specifier, such as `>=1.2` or `==2.*`");
    insta::assert_snapshot!(refused("httpx>=0.27 --pre"), @"`>=0.27 --pre` in `httpx>=0.27 --pre` is not a version specifier, such as `>=1.2` or `==2.*`");
    insta::assert_snapshot!(refused("httpx\nevil"), @"`evil` in `httpx\nevil` is not a version specifier, such as `>=1.2` or `==2.*`");
}
