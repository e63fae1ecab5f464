//! Replays the inputs in `fuzz/corpus` through the entry points of the fuzz targets.

#[path = "../../fuzz/src/lib.rs"]
#[expect(unreachable_pub, reason = "it is a library for the targets")]
mod targets;

use std::path::Path;

/// The stack of a tokio worker.
const STACK: usize = 2 << 20;

/// An overflow of the stack ends the whole process, and so fails the test.
#[test]
fn every_kept_input_is_read_on_a_small_stack() {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus");
    for (name, target) in targets::TARGETS {
        let files = std::fs::read_dir(corpora.join(name)).unwrap().map(|entry| entry.unwrap().path());
        let files: Vec<_> = files.collect();
        assert!(!files.is_empty(), "fuzz/corpus/{name} is empty");
        for file in files {
            let bytes = std::fs::read(&file).unwrap();
            let reads =
                std::thread::Builder::new().name(name.to_owned()).stack_size(STACK).spawn(move || target(&bytes));
            assert!(reads.unwrap().join().is_ok(), "{name} cannot read {}", file.display());
        }
    }
}
