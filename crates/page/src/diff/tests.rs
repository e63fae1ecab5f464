use proptest::prelude::*;

use super::*;

fn diff(old: &str, new: &str) -> StructuralDiff {
    structural_diff(&Document::parse(old), &Document::parse(new))
}

#[test]
fn the_diff_shows_tags_classes_and_leads() {
    let old = "<main id=content><h1 class=headline>Soup</h1><p class=intro>Warm.</p><script>a()</script></main>";
    let new = "<main id=content><h1 class='story-title big'>Soup</h1><p class=intro>Warm.</p><svg><path/></svg></main>";
    let diff = diff(old, new);
    let expected = "\
--- original
+++ current
@@ -1,6 +1,6 @@
 html
 html > head
 html > body
 html > body > main
-html > body > main > h1.headline: Soup
+html > body > main > h1.story-title.big: Soup
 html > body > main > p.intro: Warm.
";
    let expected = expected.replace("@@ -1,6 +1,6 @@\n html\n", "@@ -2,5 +2,5 @@\n");
    assert_eq!(diff.to_string(), expected);
    assert_eq!(
        diff.summary(),
        "main#content: 1 lines gone, 1 new; names gone: .headline; names new: .big .story-title\n"
    );
    assert_eq!((diff.counts(), diff.unchanged), ((1, 1), 5));
}

#[test]
fn what_is_left_out_makes_no_difference() {
    let old = "<p>a</p><script>1</script><style>b</style><noscript><p>x</p></noscript><svg class=a></svg>";
    let new = "<p>a</p><script>2</script><svg class=b><path/></svg>";
    let diff = diff(old, new);
    assert!(diff.is_empty(), "{diff}");
    assert_eq!((diff.to_string(), diff.summary()), (String::new(), String::new()));
}

#[test]
fn a_wrapper_changes_only_what_is_near() {
    let body = "<section><ul><li><p><b><i>deep</i></b></p></li></ul></section>";
    let (removed, added) = diff(body, &format!("<div class=wrapper>{body}</div>")).counts();
    assert_eq!((removed, added), (3, 4));
}

#[test]
fn long_diffs_are_cut_after_whole_lines() {
    let old: Vec<String> = (0..500).map(|line| format!("<p class=a{line}>{line}</p>")).collect();
    let old = old.concat();
    let cut = diff(&old, "<p>x").unified(1000);
    assert!(cut.len() < 1100 && cut.ends_with(" more lines\n"), "{cut}");
    assert!(cut.lines().all(|line| line.starts_with(['-', '+', ' ', '@', '\\'])));
}

#[test]
fn hostile_pages_take_a_moment() {
    let old = "<div class=a><p>x</p></div><div class=b></div>".repeat(30_000);
    let new = "<div class=b><p>x</p></div><div class=a><i></i></div>".repeat(30_000);
    assert!(!diff(&old, &new).is_empty());
    let deep = "<div class=a>".repeat(10_000);
    assert!(!diff(&deep, &deep.replace("class=a", "class=b")).is_empty());
}

proptest! {
    #[test]
    fn the_diff_of_any_pages_adds_up(old in "(<(p|b|div|ul|li|/p|/div)( class=[ab])?>|[xy]){0,40}", new in "(<(p|b|div|ul|li|/p|/div)( class=[ab])?>|[xy]){0,40}") {
        let (old, new) = (Document::parse(&old), Document::parse(&new));
        let there = structural_diff(&old, &new);
        let back = structural_diff(&new, &old);
        let (removed, added) = there.counts();
        prop_assert_eq!(there.unchanged + removed, old.len());
        prop_assert_eq!(there.unchanged + added, new.len());
        let by_region = |diff: &StructuralDiff| diff.regions.iter().map(|region| region.removed + region.added).sum::<usize>();
        prop_assert_eq!(by_region(&there), removed + added);
        prop_assert_eq!(there.is_empty(), back.is_empty());
        prop_assert!(structural_diff(&old, &old).is_empty());
    }
}
