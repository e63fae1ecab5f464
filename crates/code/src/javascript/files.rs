//! Files that the tools of JavaScript and TypeScript read and write.

use serde_json::Value;

use crate::language::files::KnownFiles;

/// Files of npm, jest, eslint and their like.
pub(super) static KNOWN: KnownFiles = KnownFiles {
    // The spec's patterns, with what runners look for besides.
    tests: &[
        "*.test.{js,cjs,mjs,jsx,ts,cts,mts,tsx}",
        "*.spec.{js,cjs,mjs,jsx,ts,cts,mts,tsx}",
        "__tests__/**/*.{js,cjs,mjs,jsx,ts,cts,mts,tsx}",
        "test/**/*.{js,cjs,mjs,jsx,ts,cts,mts,tsx}",
        "tests/**/*.{js,cjs,mjs,jsx,ts,cts,mts,tsx}",
        "{test,tests}.{js,cjs,mjs,ts,cts,mts}",
        "*[-_]test.{js,cjs,mjs,ts,cts,mts}",
        "test-*.{js,cjs,mjs,ts,cts,mts}",
    ],
    foreign_folders: &["node_modules", "bower_components"],
    projects: &["package.json"],
    manifests: &["package.json", "package-lock.json", "yarn.lock", "pnpm-lock.yaml"],
    settings_only: &[],
    dependency_lists: &["package.json"],
    installers: &[],
    texts: &["package.json", "tsconfig*.json", "jsconfig*.json", ".mocharc*"],
    locks: &[
        "package-lock.json",
        "npm-shrinkwrap.json",
        "pnpm-lock.yaml",
        "yarn.lock",
        "bun.lock",
        "bun.lockb",
        "deno.lock",
    ],
    test_support: &[],
    settings: &[
        ".eslintignore",
        ".npmrc",
        ".yarnrc",
        ".yarnrc.yml",
        ".nvmrc",
        ".node-version",
        "pnpm-workspace.yaml",
        ".nycrc",
        ".c8rc.json",
    ],
    settings_prefixes: &[
        "jest.config.",
        "jest.setup.",
        "jest-setup.",
        "jest.polyfills.",
        "setuptests.",
        "setup-tests.",
        "setupjest.",
        "vitest.config.",
        "vitest.setup.",
        "vitest-setup.",
        "test-setup.",
        "test.setup.",
        "vitest.workspace.",
        // Without its own settings file vitest reads this one.
        "vite.config.",
        "karma.conf.",
        "playwright.config.",
        "playwright-ct.config.",
        "cypress.config.",
        "eslint.config.",
        ".eslintrc",
        ".mocharc",
        ".nycrc",
        // How strict the compiler is, and what it makes of the code before tests see it.
        "tsconfig.",
        "tsconfig-",
        "jsconfig.",
        "jsconfig-",
        "babel.config.",
        ".babelrc",
        ".swcrc",
    ],
    mixed: &[("package.json", settings)],
};

/// Keys of `package.json` that say how tests, builds and linters run, and what the package is for those who load it: an edit there
/// changes what is tested.
const PACKAGE_KEYS: &[&str] = &[
    "scripts",
    "jest",
    "mocha",
    "vitest",
    "ava",
    "tap",
    "nyc",
    "c8",
    "eslintConfig",
    "eslintIgnore",
    "standard",
    "xo",
    "babel",
    "type",
    "exports",
    "imports",
    "main",
    "module",
    "bin",
];

fn settings(text: &str) -> Option<Value> {
    let manifest: Value = serde_json::from_str(text).ok()?;
    Some(PACKAGE_KEYS.iter().map(|key| manifest.get(key).cloned()).map(Value::from).collect())
}
