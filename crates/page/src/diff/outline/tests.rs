use proptest::prelude::*;

use super::*;

/// Lines as they are written, with what else is known about them.
fn lines(outline: &Outline) -> Vec<String> {
    let names = outline.step_names();
    let about = |(place, line): (usize, &OutlineLine)| {
        format!("{} #{} in {:?}", outline.write(place, &names), outline.id(line).unwrap_or_default(), line.region)
    };
    outline.lines().iter().enumerate().map(about).collect()
}

fn assert_equal(html: &str) {
    assert_eq!(lines(&Outline::parse(html)), lines(&Outline::of(&Document::parse(html))), "{html:?}");
}

#[test]
fn both_ways_give_the_same_lines() {
    for html in [
        "",
        "\u{feff}<p>x",
        "<!DOCTYPE html PUBLIC '-//W3C//DTD HTML 3.2//EN'><p>a<table><tr><td>b</table>",
        "<!doctype html><p>a<table><tr><td>b</table>",
        "<title>a &amp; b</title ><textarea>\n <b> &lt;\n</textarea><b>c",
        "<p>caf&eacute; &notit; &#x80;&#0;&#99999999;&#x;&;&ampx&NotEqualTilde;&am<i>x",
        "<p CLASS='a&amp;b&copy=1' class=c iD=\"x&lt;y\" = =x / ID>t</p >",
        "<script><!-- <script> </script> --></script><p>a<script><!--></script><p>b<script><!-- </script><p>c",
        "<script>a</script",
        "<p>a<!-->b<!--->c<!-- x --!>d<!-- -- >e--->f<!x>g<?y>h</ z>i</>j<k",
        "<p>e<!-- -->\u{301} e&#x301; \u{200b}z\u{a0} <!--",
        "<svg><title>t<![CDATA[<p>]]></title></svg><math><mi><![CDATA[ <b> ]]></mi><annotation-xml encoding='text/html'><p>x",
        "<![CDATA[ x ]]><plaintext>a<b>&amp;",
        "<body class=a><p>x<body class=b id=c><html class=d>",
        "<table><b>x<tr><td>y</b><p></table><select><option>a<b>z</select>",
        "<b class=x><b class=x><b class=x><b class=x><p>a</b></b><b y=1><b y=2><b y=3><b y=4></p><p>q",
        "<a>1<p>2</a>3</p><i>4<div>5</i>6</div><nobr>7<nobr>8",
        "<template><p>x</template><noscript><p>y</noscript><iframe><p>z</iframe><p>\r\na\rb",
        "<p>a\0b<script>\0</script><x\0y>",
        "a < b << c <3 </",
        "<input type=hidden><table><input type=HIDDEN><input type=text></table><form><form><font color=x><svg><font color=y>",
    ] {
        assert_equal(html);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn both_ways_give_the_same_lines_of_any_page(
        pieces in proptest::collection::vec(
            prop_oneof![
                "</?(a|b|i|p|div|table|tr|td|li|ul|svg|math|mi|select|option|template|form|h1|button|font|title|textarea|style|script|noscript|head|body|html|frameset|br|pre|nobr|main)( (class|id|type|x)=?['\"]?[a-c &;]{0,4}['\"]?){0,2}/?>",
                "[a-z &;#<>/!'\"=x-]{0,6}",
                "&(amp|lt;|not|copy=|#65;?|#x4a|eacute)",
                "<!(--)?[ a>-]{0,4}(--)?!?>?",
                "(<!\\[CDATA\\[|\\]\\]>|<!doctype html>|<!--|-->|\r\n?|\n|\t|<\\?|</)",
                "[ äé\u{301}\u{200b}\u{a0}𝒳]{1,3}",
            ],
            0..30,
        ),
    ) {
        assert_equal(&pieces.concat());
    }
}
