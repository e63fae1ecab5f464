//! Embeds the built dashboard in the binary: the folder named by `DASHBOARD_DIST`, else `dashboard/dist`. If neither exists,
//! it embeds an empty folder, and the server explains how to build the dashboard; a release is only built so with the feature
//! `without-dashboard`.

use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=DASHBOARD_DIST");
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?).join("../..");
    let named = std::env::var_os("DASHBOARD_DIST").filter(|path| !path.is_empty()).map(|path| root.join(path));
    let built = named.or_else(|| Some(root.join("dashboard/dist")).filter(|folder| folder.is_dir()));
    let folder = if let Some(folder) = built {
        let folder = folder.canonicalize().map_err(|error| format!("DASHBOARD_DIST: {}: {error}", folder.display()))?;
        println!("cargo::rerun-if-changed={}", folder.display());
        folder
    } else {
        let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
        if is_release && std::env::var_os("CARGO_FEATURE_WITHOUT_DASHBOARD").is_none() {
            return Err("the dashboard is not built: run `npm ci && npm run build` in dashboard/ (Node 20), or build with the feature \
                        `without-dashboard`"
                .into());
        }
        let empty = PathBuf::from(std::env::var("OUT_DIR")?).join("no-dashboard");
        std::fs::create_dir_all(&empty)?;
        empty
    };
    println!("cargo::rustc-env=DASHBOARD_FOLDER={}", folder.display());
    Ok(())
}
