//! Faults that a newer Python shows in code that did well with an older one, from red to green: real git, real sandbox, real pytest.

use autoheal_engine::StopReason;
use autoheal_repo::HealRequest;
use autoheal_testkit::repository::TestRepository;

use crate::driver::heal;

/// Heals a repository of a module and its test. The module is then as it should be.
async fn module_becomes(test: &str, broken: &str, sound: &str) {
    let repository =
        TestRepository::with_files(&[("lib.py", broken), ("test_lib.py", test), ("pytest.ini", "[pytest]\n")]);
    let Some(healed) = heal(HealRequest::new(repository.path().display().to_string())).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}\n{:?}", healed.report, healed.events);
    assert_eq!(repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:lib.py"]), sound.trim_end());
}

#[tokio::test]
async fn flags_in_the_middle_of_a_pattern_are_moved_to_its_start() {
    let sound = "import re\n\nUNIT = r'(?i)(\\d+)\\s*(px|em)'\n\n\ndef size(text):\n    found = re.match(UNIT, text)\n    \
                 return found and (int(found.group(1)), found.group(2))\n";
    let test = "from lib import size\n\n\ndef test_size():\n    assert size('12 PX') == (12, 'PX')\n    \
                assert size('x') is None\n";
    module_becomes(test, &sound.replace("(?i)(\\d+)\\s*", "(\\d+)(?i)\\s*"), sound).await;
}

/// No test can be collected then, so that the runner that has loaded the tests knows none that fails: they are started for each change.
#[tokio::test]
async fn flags_of_a_pattern_are_moved_when_the_module_does_not_load() {
    let sound = "import re\n\nWORD = re.compile(br\"\"\"(?ix)\n    ([a-z]+)  # letters\n    \\d\n\"\"\")\n\n\ndef word(line):\n    \
                 return WORD.match(line).group(1)\n";
    let test = "from lib import word\n\n\ndef test_word():\n    assert word(b'Ab1') == b'Ab'\n";
    module_becomes(test, &sound.replace("(?ix)\n    (", "\n    (?ix)("), sound).await;
}
