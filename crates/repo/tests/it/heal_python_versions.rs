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

#[tokio::test]
async fn text_is_encoded_before_hashing() {
    let sound =
        "import hashlib\n\n\ndef digest(name, salt):\n    return hashlib.md5((name + salt).encode()).hexdigest()\n";
    let test = "from lib import digest\n\n\ndef test_digest():\n    assert digest('a', 'b') == '187ef4436122d1cc2f40dc2b92f0eba0'\n";
    module_becomes(test, &sound.replace("(name + salt).encode()", "name + salt"), sound).await;
}

#[tokio::test]
async fn bytes_are_decoded_with_the_codec_that_the_file_names() {
    let sound = "def read(path):\n    with open(path, 'rb') as file:\n        return file.read()\n\n\ndef save(path, text):\n    \
                 with open(path, 'wb') as file:\n        file.write(text.encode('latin-1'))\n\n\ndef title(path):\n    \
                 return 'Title: ' + read(path).decode('latin-1')\n";
    let test = "from lib import save, title\n\n\ndef test_title(tmp_path):\n    save(tmp_path / 'a', 'caf\\xe9')\n    \
                assert title(tmp_path / 'a') == 'Title: caf\\xe9'\n";
    module_becomes(test, &sound.replace("read(path).decode('latin-1')", "read(path)"), sound).await;
}

#[tokio::test]
async fn bytes_that_a_test_compares_with_text_are_decoded() {
    let sound = "import base64\n\n\ndef name(code):\n    return base64.b64decode(code).decode()\n";
    let test = "from lib import name\n\n\ndef test_name():\n    assert name('SsO8cmdlbg==') == 'J\\xfcrgen'\n";
    module_becomes(test, &sound.replace(".decode()", ""), sound).await;
}

/// Keys of several types have no order, but the test has keys of one.
#[tokio::test]
async fn a_dictionary_that_changes_in_a_loop_is_copied_and_not_sorted() {
    let sound = "class Cache(dict):\n    def prune(self):\n        for key, value in list(self.items()):\n            \
                 if value is None:\n                del self[key]\n        return self\n\n\ndef shown(table):\n    \
                 return [str(key) for key, value in sorted(table.items())]\n";
    let test = "from lib import Cache, shown\n\n\ndef test_prune():\n    assert Cache(a=None, b=1).prune() == {'b': 1}\n\n\n\
                def test_shown():\n    assert shown({2: 1, 1: 1}) == ['1', '2']\n";
    module_becomes(test, &sound.replace("list(self.items())", "self.items()"), sound).await;
}

#[tokio::test]
async fn keys_that_are_indexed_are_listed_and_not_sorted() {
    let sound =
        "def first(table):\n    return list(table.keys())[0]\n\n\ndef names(table):\n    return sorted(table.keys())\n";
    let test = "from lib import first, names\n\n\ndef test_first():\n    assert first({'a': 1, 'b': 2}) == 'a'\n\n\n\
                def test_names():\n    assert names({'b': 1, 'a': 2}) == ['a', 'b']\n";
    module_becomes(test, &sound.replace("list(table.keys())", "table.keys()"), sound).await;
}
