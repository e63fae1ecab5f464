//! The output of commands, cut to a length that a run can keep.

/// Maximum number of bytes stored of one output: its beginning and its end.
pub const MOST: usize = 4 << 20;

/// Returns standard output and error as one text of at most `most` bytes, with a line that gives the number of bytes omitted.
///
/// The bytes are cut before they become text: invalid UTF-8 takes three times its length as text.
pub fn text_of(stdout: &[u8], stderr: &[u8], most: usize) -> String {
    let total = stdout.len() + stderr.len();
    let both = || stdout.iter().chain(stderr).copied();
    if total <= most {
        return cut(&lossy(both().collect()), most);
    }
    let head = lossy(both().take(most / 2).collect());
    let tail = lossy(both().skip(total - most / 2).collect());
    cut(&format!("{head}{}{tail}", missing(total - most / 2 * 2)), most + 64)
}

/// Returns the text, or its beginning and end with a line between them that gives the number of bytes omitted.
pub fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let head = text.get(..text.floor_char_boundary(most / 2)).unwrap_or_default();
    let tail = text.get(text.ceil_char_boundary(text.len() - most / 2)..).unwrap_or_default();
    format!("{head}{}{tail}", missing(text.len() - head.len() - tail.len()))
}

fn missing(bytes: usize) -> String {
    format!("\n[... {bytes} bytes left out ...]\n")
}

fn lossy(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_long_text_keeps_its_beginning_and_its_end() {
        assert_eq!(cut("short", 5), "short");
        let fits = "ü".repeat(MOST / 2);
        assert_eq!(cut(&fits, MOST), fits);
        let long = format!("begin {} end", "ü".repeat(MOST));
        let kept = cut(&long, MOST);
        let (head, rest) = kept.split_once("\n[... ").unwrap();
        let (missing, tail) = rest.split_once(" bytes left out ...]\n").unwrap();
        assert!(head.starts_with("begin ü") && tail.ends_with("ü end"));
        assert!(head.len() + tail.len() <= MOST);
        assert_eq!(head.len() + tail.len() + missing.parse::<usize>().unwrap(), long.len());
    }

    proptest! {
        #[test]
        fn bytes_of_any_kind_stay_within_the_limit(
            stdout in prop::collection::vec(any::<u8>(), 0..400), stderr in prop::collection::vec(any::<u8>(), 0..400), most in 16_usize..300,
        ) {
            let text = text_of(&stdout, &stderr, most);
            prop_assert!(text.len() <= most + 2 * 64, "{}", text.len());
            if stdout.len() + stderr.len() <= most && stdout.is_ascii() && stderr.is_ascii() {
                prop_assert_eq!(text.into_bytes(), [stdout, stderr].concat());
            }
        }
    }
}
