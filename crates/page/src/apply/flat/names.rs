//! Names of tags as numbers, with the sets of the HTML standard that a name belongs to.

/// A name as a number: its bytes if there are at most eight, a hash otherwise. Different long names may have the same number.
pub(super) type Key = u64;

/// Set in keys that are hashes; the bytes of a name are ASCII.
pub(super) const LONG: Key = 1 << 63;

/// Returns the key of a name in lower case.
const fn key(name: &str) -> Key {
    let bytes = name.as_bytes();
    let mut builder = KeyBuilder::new();
    let mut at = 0;
    while at < bytes.len() {
        builder = builder.with(bytes[at]);
        at += 1;
    }
    builder.key()
}

/// Makes a key byte by byte.
#[derive(Clone, Copy)]
pub(super) struct KeyBuilder {
    packed: u64,
    hash: u64,
    length: usize,
}

impl KeyBuilder {
    pub(super) const fn new() -> Self {
        Self { packed: 0, hash: 0xcbf2_9ce4_8422_2325, length: 0 }
    }

    /// Adds a byte of the name, in lower case.
    #[inline]
    pub(super) const fn with(self, byte: u8) -> Self {
        let byte = byte.to_ascii_lowercase() as u64;
        Self {
            packed: self.packed << 8 | byte,
            hash: (self.hash ^ byte).wrapping_mul(0x0100_0000_01b3),
            length: self.length + 1,
        }
    }

    pub(super) const fn key(self) -> Key {
        if self.length <= 8 { self.packed } else { self.hash | LONG }
    }
}

/// Sets of names, as bits.
pub(super) mod set {
    /// "Special" elements.
    pub(in super::super) const SPECIAL: u32 = 1;
    /// Elements that bound "has an element in scope".
    pub(in super::super) const SCOPE: u32 = 1 << 1;
    /// Elements that "generate implied end tags" closes.
    pub(in super::super) const IMPLIED: u32 = 1 << 2;
    /// Formatting elements.
    pub(in super::super) const FORMATTING: u32 = 1 << 3;
    /// Elements that put a marker into the list of active formatting elements.
    pub(in super::super) const MARKER: u32 = 1 << 4;
    /// Elements without content.
    pub(in super::super) const VOID: u32 = 1 << 5;
    /// Elements whose content is text as written.
    pub(in super::super) const RAW: u32 = 1 << 6;
    /// Elements whose content is text with character references.
    pub(in super::super) const ESCAPABLE: u32 = 1 << 7;
    /// Start tags that close a paragraph.
    pub(in super::super) const CLOSES_P: u32 = 1 << 8;
    /// Parts of tables.
    pub(in super::super) const TABLE_PART: u32 = 1 << 9;
    /// Elements in which a table's parts are directly.
    pub(in super::super) const TABLE_FRAME: u32 = 1 << 10;
    /// End tags that close up to the nearest such element in scope.
    pub(in super::super) const BLOCK: u32 = 1 << 11;
    /// `h1` to `h6`.
    pub(in super::super) const HEADING: u32 = 1 << 12;
    /// Start tags that end foreign content.
    pub(in super::super) const NOT_FOREIGN: u32 = 1 << 13;
    /// Elements that are put into the head if they come before the body.
    pub(in super::super) const HEAD: u32 = 1 << 14;
    /// Elements of SVG.
    pub(in super::super) const FOREIGN: u32 = 1 << 15;
    /// Tags after which this parser does not know how to continue.
    pub(in super::super) const UNSURE: u32 = 1 << 16;
}

use set::{
    BLOCK, CLOSES_P, ESCAPABLE, FORMATTING, HEAD, HEADING, IMPLIED, MARKER, NOT_FOREIGN, RAW, SCOPE, SPECIAL,
    TABLE_FRAME, TABLE_PART, UNSURE, VOID,
};

const SECTION: u32 = SPECIAL | CLOSES_P | BLOCK;
const FORMAT: u32 = FORMATTING | NOT_FOREIGN;
const TITLE: u32 = SPECIAL | CLOSES_P | HEADING | NOT_FOREIGN;
const CELL: u32 = SPECIAL | SCOPE | TABLE_PART | MARKER;
const ROWS: u32 = SPECIAL | TABLE_PART | TABLE_FRAME;
const META: u32 = SPECIAL | VOID | HEAD;
const VOID_SPECIAL: u32 = SPECIAL | VOID;

macro_rules! names {
    ($($constant:ident $name:literal $sets:expr;)*) => {
        $(pub(super) const $constant: Key = key($name);)*

        /// Returns the name in lower case and its sets; an empty name if the key is of another name.
        pub(super) fn known(key: Key) -> (&'static str, u32) {
            match key {
                $($constant => ($name, $sets),)*
                _ => ("", 0),
            }
        }
    };
}

names! {
    A "a" FORMATTING;
    ADDRESS "address" SECTION;
    APPLET "applet" SPECIAL | SCOPE | MARKER;
    AREA "area" VOID_SPECIAL;
    ARTICLE "article" SECTION;
    ASIDE "aside" SECTION;
    B "b" FORMAT;
    BASE "base" META;
    BASEFONT "basefont" META;
    BGSOUND "bgsound" META;
    BIG "big" FORMAT;
    BLOCKQUOTE "blockquote" SECTION | NOT_FOREIGN;
    BODY "body" SPECIAL | NOT_FOREIGN;
    BR "br" VOID_SPECIAL | NOT_FOREIGN;
    BUTTON "button" SPECIAL | BLOCK;
    CAPTION "caption" CELL;
    CENTER "center" SECTION | NOT_FOREIGN;
    CODE "code" FORMAT;
    COL "col" SPECIAL | TABLE_PART;
    COLGROUP "colgroup" ROWS;
    DD "dd" SPECIAL | IMPLIED | NOT_FOREIGN;
    DETAILS "details" SECTION;
    DIALOG "dialog" CLOSES_P | BLOCK;
    DIR "dir" SECTION;
    DIV "div" SECTION | NOT_FOREIGN;
    DL "dl" SECTION | NOT_FOREIGN;
    DT "dt" SPECIAL | IMPLIED | NOT_FOREIGN;
    EM "em" FORMAT;
    EMBED "embed" VOID_SPECIAL | NOT_FOREIGN;
    FIELDSET "fieldset" SECTION;
    FIGCAPTION "figcaption" SECTION;
    FIGURE "figure" SECTION;
    FONT "font" FORMAT;
    FOOTER "footer" SECTION;
    FORM "form" SPECIAL;
    FRAME "frame" SPECIAL;
    FRAMESET "frameset" SPECIAL | UNSURE;
    H1 "h1" TITLE;
    H2 "h2" TITLE;
    H3 "h3" TITLE;
    H4 "h4" TITLE;
    H5 "h5" TITLE;
    H6 "h6" TITLE;
    HEAD_TAG "head" SPECIAL | NOT_FOREIGN;
    HEADER "header" SECTION;
    HGROUP "hgroup" SECTION;
    HR "hr" VOID_SPECIAL | CLOSES_P | NOT_FOREIGN;
    HTML "html" SPECIAL | SCOPE;
    I "i" FORMAT;
    IFRAME "iframe" SPECIAL | RAW;
    IMAGE "image" UNSURE;
    IMG "img" VOID_SPECIAL | NOT_FOREIGN;
    INPUT "input" VOID_SPECIAL;
    ISINDEX "isindex" SPECIAL;
    KEYGEN "keygen" VOID;
    LI "li" SPECIAL | IMPLIED | NOT_FOREIGN;
    LINK "link" META;
    LISTING "listing" SECTION | NOT_FOREIGN;
    MAIN "main" SECTION;
    MARQUEE "marquee" SPECIAL | SCOPE | MARKER;
    MATH "math" UNSURE;
    MENU "menu" SECTION | NOT_FOREIGN;
    META_TAG "meta" META | NOT_FOREIGN;
    NAV "nav" SECTION;
    NOBR "nobr" FORMAT;
    NOEMBED "noembed" SPECIAL | RAW;
    NOFRAMES "noframes" SPECIAL | RAW | HEAD;
    NOSCRIPT "noscript" SPECIAL;
    OBJECT "object" SPECIAL | SCOPE | MARKER;
    OL "ol" SECTION | NOT_FOREIGN;
    OPTGROUP "optgroup" IMPLIED;
    OPTION "option" IMPLIED;
    P "p" SPECIAL | CLOSES_P | IMPLIED | NOT_FOREIGN;
    PARAM "param" VOID_SPECIAL;
    PLAINTEXT "plaintext" SPECIAL | UNSURE;
    PRE "pre" SECTION | NOT_FOREIGN;
    RB "rb" IMPLIED;
    RP "rp" IMPLIED;
    RT "rt" IMPLIED;
    RTC "rtc" IMPLIED;
    RUBY "ruby" NOT_FOREIGN;
    S "s" FORMAT;
    SCRIPT "script" SPECIAL | RAW | HEAD;
    SEARCH "search" CLOSES_P | BLOCK;
    SECTION_TAG "section" SECTION;
    SELECT "select" SPECIAL | SCOPE | BLOCK;
    SELECTEDCONTENT "selectedcontent" UNSURE;
    SMALL "small" FORMAT;
    SOURCE "source" VOID_SPECIAL;
    SPAN "span" NOT_FOREIGN;
    STRIKE "strike" FORMAT;
    STRONG "strong" FORMAT;
    STYLE "style" SPECIAL | RAW | HEAD;
    SUB "sub" NOT_FOREIGN;
    SUMMARY "summary" SECTION;
    SUP "sup" NOT_FOREIGN;
    SVG "svg" 0;
    TABLE "table" SPECIAL | SCOPE | TABLE_FRAME | NOT_FOREIGN;
    TBODY "tbody" ROWS;
    TD "td" CELL;
    TEMPLATE "template" SPECIAL | SCOPE | HEAD;
    TEXTAREA "textarea" SPECIAL | ESCAPABLE;
    TFOOT "tfoot" ROWS;
    TH "th" CELL;
    THEAD "thead" ROWS;
    TITLE_TAG "title" SPECIAL | ESCAPABLE | HEAD;
    TR "tr" ROWS;
    TRACK "track" VOID_SPECIAL;
    TT "tt" FORMAT;
    U "u" FORMAT;
    UL "ul" SECTION | NOT_FOREIGN;
    VAR "var" NOT_FOREIGN;
    WBR "wbr" VOID_SPECIAL;
    XMP "xmp" SPECIAL | RAW | CLOSES_P;
}

/// Names of SVG elements that are not in lower case: the parser writes them so, in whatever case the page has them.
pub(super) const MIXED_CASE: [&str; 37] = [
    "altGlyph",
    "altGlyphDef",
    "altGlyphItem",
    "animateColor",
    "animateMotion",
    "animateTransform",
    "clipPath",
    "feBlend",
    "feColorMatrix",
    "feComponentTransfer",
    "feComposite",
    "feConvolveMatrix",
    "feDiffuseLighting",
    "feDisplacementMap",
    "feDistantLight",
    "feDropShadow",
    "feFlood",
    "feFuncA",
    "feFuncB",
    "feFuncG",
    "feFuncR",
    "feGaussianBlur",
    "feImage",
    "feMerge",
    "feMergeNode",
    "feMorphology",
    "feOffset",
    "fePointLight",
    "feSpecularLighting",
    "feSpotLight",
    "feTile",
    "feTurbulence",
    "foreignObject",
    "glyphRef",
    "linearGradient",
    "radialGradient",
    "textPath",
];
