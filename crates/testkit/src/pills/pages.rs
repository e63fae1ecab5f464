//! Pills that are HTML.

use super::Pill;

const fn page(name: &'static str, before: &'static str, unit: &'static str) -> Pill {
    Pill::new(name, "pill.html", before, unit)
}

/// Pills that are HTML.
pub const fn pages() -> &'static [Pill] {
    &PILLS
}

static PILLS: [Pill; 64] = [
    // Attributes.
    page("html-attributes", "<p ", "a{#} ").then(">x"),
    page("html-attributes-of-end-tag", "<p>x</p ", "a{#} ").then(">"),
    page("html-attributes-with-values", "<p ", "a{#}=\"b\" ").then(">x"),
    page("html-attributes-never-closed", "<p ", "a{#} "),
    page("html-same-attributes", "<p ", "a ").then(">x"),
    page("html-attributes-of-html", "<html>", "<html a{#}>"),
    page("html-attributes-of-body", "<body>", "<body a{#}>"),
    page("html-long-attribute-name", "<p ", "abcdefgh").then(">x"),
    page("html-long-attribute-value", "<p a='", "abcd &amp; ").then("'>x"),
    page("html-many-classes", "<p class='", "a{#} ").then("'>x"),
    page("html-many-attributes-each", "", "<p a b c d e f g h i j k l m n o p q r s t u v w x y z>"),
    page("html-distinct-attributes", "", "<p a{#}>"),
    page("html-distinct-tags", "", "<a{#}></a{#}>"),
    // Nesting.
    page("html-div", "", "<div>"),
    page("html-div-closed", "", "<div>").then("x").closed_by("</div>"),
    page("html-span", "", "<span>").then("x").closed_by("</span>"),
    page("html-p", "", "<p>"),
    page("html-li", "", "<ul><li>"),
    page("html-button", "", "<button>"),
    page("html-dl", "", "<dl><dt>a<dd>"),
    page("html-form", "", "<form><div>"),
    page("html-details", "", "<details><summary>a</summary>"),
    // Formatting.
    page("html-b", "", "<b>"),
    page("html-a", "", "<a href=x>"),
    page("html-font", "", "<font color={#}>"),
    page("html-formatting-in-paragraphs", "", "<p><b id={#}>x"),
    page("html-misnested", "", "<b><i>x</b>y</i>"),
    page("html-misnested-blocks", "", "<a><div>x</a>y"),
    page("html-misnested-deep", "<b><i><u><s><tt><em><code><small>", "<p>x</b>y</i>z"),
    page("html-end-tags-only", "", "</p></b></div>"),
    page("html-nobr", "", "<nobr><div>"),
    // Tables and the like.
    page("html-tables", "", "<table><tr><td>"),
    page("html-table-foster-text", "<table>", "a<b>"),
    page("html-table-foster-blocks", "<table>", "<p>x"),
    page("html-table-foster-formatting", "<table>", "<a><tr>"),
    page("html-table-cells", "<table><tr>", "<td>{#}"),
    page("html-table-rows", "<table>", "<tr><td>a<td>b"),
    page("html-table-captions", "<table>", "<caption>"),
    page("html-select", "<select>", "<option>{#}"),
    page("html-selects", "", "<select><option>"),
    page("html-templates", "", "<template>"),
    page("html-frames", "<frameset>", "<frameset>"),
    page("html-svg", "", "<svg><g>"),
    page("html-math", "", "<math><mi>"),
    page("html-svg-html", "", "<svg><foreignObject><p>"),
    // Text.
    page("html-text", "<p>", "word{#} "),
    page("html-no-spaces", "<p>", "abcdefgh"),
    page("html-spaces", "<p>", "        "),
    page("html-entities", "<p>", "&amp;&lt;&#x41;"),
    page("html-half-entities", "<p>", "&notit&"),
    page("html-long-entity", "<p>&", "abcdefgh"),
    page("html-comments", "", "<!-- a -->"),
    page("html-comment-open", "<!--", " -- > --!"),
    page("html-angles", "", "<"),
    page("html-half-tags", "", "<a <b"),
    page("html-null-bytes", "<p>", "\0\0\0\0"),
    page("html-scripts", "", "<script>a</script>"),
    page("html-script-escapes", "<script>", "<!--<script>"),
    page("html-json-ld-deep", "<script type='application/ld+json'>", "[").then("</script>"),
    page("html-json-ld-long", "<script type='application/ld+json'>[", "{\"@type\":\"Product\",\"name\":\"a\"},")
        .then("{}]</script>"),
    page(
        "html-json-ld-many",
        "",
        "<script type='application/ld+json'>{\"@type\":\"Product\",\"name\":\"a{#}\"}</script>",
    ),
    page("html-microdata-deep", "", "<div itemscope itemprop=a itemtype='http://schema.org/Product'>"),
    page("html-microdata-flat", "<div itemscope itemtype='http://schema.org/Product'>", "<p itemprop=name>a{#}</p>"),
    page("html-meta", "", "<meta property='og:title' content='a{#}'>"),
];
