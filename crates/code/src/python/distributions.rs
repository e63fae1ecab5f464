//! Distributions that provide a module, where the two names differ.
//!
//! The list contains only old and widely used distributions: a dependency that is proposed is installed and run, and a guessed
//! name may belong to anyone.

/// Distribution and the module that it brings, for widely used distributions: first those whose names differ.
const KNOWN: &[(&str, &str)] = &[
    ("PyYAML", "yaml"),
    ("Pillow", "PIL"),
    ("beautifulsoup4", "bs4"),
    ("python-dateutil", "dateutil"),
    ("python-dotenv", "dotenv"),
    ("python-slugify", "slugify"),
    ("scikit-learn", "sklearn"),
    ("scikit-image", "skimage"),
    ("opencv-python", "cv2"),
    ("attrs", "attr"),
    ("PyJWT", "jwt"),
    ("pyOpenSSL", "OpenSSL"),
    ("pyserial", "serial"),
    ("pycryptodome", "Crypto"),
    ("python-magic", "magic"),
    ("python-docx", "docx"),
    ("python-multipart", "multipart"),
    ("psycopg2-binary", "psycopg2"),
    ("mysqlclient", "MySQLdb"),
    ("protobuf", "google.protobuf"),
    ("setuptools", "pkg_resources"),
    ("Markdown", "markdown"),
    ("Jinja2", "jinja2"),
    ("MarkupSafe", "markupsafe"),
    ("Werkzeug", "werkzeug"),
    ("Flask", "flask"),
    ("Django", "django"),
    ("djangorestframework", "rest_framework"),
    ("SQLAlchemy", "sqlalchemy"),
    ("Pygments", "pygments"),
    ("GitPython", "git"),
    ("pyzmq", "zmq"),
    ("typing-extensions", "typing_extensions"),
    ("more-itertools", "more_itertools"),
    ("prompt-toolkit", "prompt_toolkit"),
    ("pytest-asyncio", "pytest_asyncio"),
    ("pytest-cov", "pytest_cov"),
    ("pytest-mock", "pytest_mock"),
    ("pytest-xdist", "xdist"),
    ("pydantic-settings", "pydantic_settings"),
    ("aiohttp", "aiohttp"),
    ("arrow", "arrow"),
    ("boto3", "boto3"),
    ("certifi", "certifi"),
    ("chardet", "chardet"),
    ("charset-normalizer", "charset_normalizer"),
    ("click", "click"),
    ("colorama", "colorama"),
    ("cryptography", "cryptography"),
    ("fastapi", "fastapi"),
    ("freezegun", "freezegun"),
    ("httpx", "httpx"),
    ("hypothesis", "hypothesis"),
    ("idna", "idna"),
    ("jsonschema", "jsonschema"),
    ("lxml", "lxml"),
    ("matplotlib", "matplotlib"),
    ("networkx", "networkx"),
    ("numpy", "numpy"),
    ("packaging", "packaging"),
    ("pandas", "pandas"),
    ("platformdirs", "platformdirs"),
    ("psutil", "psutil"),
    ("psycopg", "psycopg"),
    ("pydantic", "pydantic"),
    ("pymongo", "pymongo"),
    ("pytest", "pytest"),
    ("pytz", "pytz"),
    ("redis", "redis"),
    ("regex", "regex"),
    ("requests", "requests"),
    ("responses", "responses"),
    ("rich", "rich"),
    ("scipy", "scipy"),
    ("simplejson", "simplejson"),
    ("six", "six"),
    ("sortedcontainers", "sortedcontainers"),
    ("starlette", "starlette"),
    ("sympy", "sympy"),
    ("tabulate", "tabulate"),
    ("tenacity", "tenacity"),
    ("toml", "toml"),
    ("tomli", "tomli"),
    ("tqdm", "tqdm"),
    ("typer", "typer"),
    ("urllib3", "urllib3"),
    ("uvicorn", "uvicorn"),
    ("websockets", "websockets"),
    ("wrapt", "wrapt"),
    ("xmltodict", "xmltodict"),
];

/// The widely used distribution that brings a module.
pub fn that_brings(module: &str) -> Option<&'static str> {
    KNOWN.iter().find(|(_, brought)| *brought == module).map(|(distribution, _)| *distribution)
}

/// Returns whether a distribution of this name is old and widely used: it may be installed because something else than the package index has the
/// name.
pub fn is_widely_used(name: &str) -> bool {
    KNOWN.iter().any(|(distribution, _)| canonical(distribution) == canonical(name))
}

/// The module that a requirement (`PyYAML>=6; python_version > "3"`) most likely brings: the one that is known, else its own name
/// as an identifier.
pub fn module_of(requirement: &str) -> String {
    let name = distribution_of(requirement);
    let known = KNOWN.iter().find(|(distribution, _)| canonical(distribution) == canonical(name));
    known.map_or_else(|| name.replace(['-', '.'], "_").to_lowercase(), |(_, module)| (*module).to_owned())
}

/// The name at the beginning of a requirement.
pub fn distribution_of(requirement: &str) -> &str {
    let requirement = requirement.trim_start();
    let end = requirement.find(|part: char| !(part.is_alphanumeric() || "-_.".contains(part)));
    &requirement[..end.unwrap_or(requirement.len())]
}

/// Names by which projects call what only their tests need: extras, dependency groups, requirement files.
const FOR_TESTS: &[&str] =
    &["test", "tests", "testing", "dev", "develop", "development", "devel", "check", "pytest", "unittest", "all", "ci"];

/// Returns whether a list of requirements is for tests, by its name.
pub fn is_for_tests(name: &str) -> bool {
    FOR_TESTS.contains(&name.to_lowercase().as_str())
}

/// A distribution's name as indexes compare it (PEP 503).
pub fn canonical(name: &str) -> String {
    name.to_lowercase().split(['-', '_', '.']).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_requirement_brings_a_module() {
        assert_eq!(module_of("PyYAML >= 6"), "yaml");
        assert_eq!(module_of("pyyaml"), "yaml");
        assert_eq!(module_of("Some.Thing-else[extra]==1"), "some_thing_else");
        assert_eq!(that_brings("yaml"), Some("PyYAML"));
        assert_eq!(that_brings("requets"), None);
        assert_eq!(canonical("Foo__Bar.baz"), "foo-bar-baz");
    }
}
