//! Room for recursion. Parsers and everything that walks a tree need stack in proportion to how deep a text is nested, and a stack that
//! overflows ends the whole process. Two things keep that from happening: texts beyond a depth are refused ([`MAX_DEPTH`]), and all work
//! on a tree runs where there is room for several times that depth, whatever thread it began on.

/// The most stack that work on a tree may need. Only what is used of it takes memory.
pub(crate) const MOST_ROOM: usize = 256 << 20;

/// What work may use before it asks again, so that it then still has the room.
const SPENT: usize = 1 << 20;

/// How deep a tree may be, in tokens: a text is refused when more tokens than this stand between its outermost part and its innermost,
/// each taken for one that nests. A token takes at most some 2.5 KB of stack, so that there is room for three times as many. `CPython`
/// gives up at about 3,000 levels, of two tokens or more.
pub(crate) const MAX_DEPTH: usize = 30_000;

/// How deep brackets may be nested: `CPython`'s own limit.
pub(crate) const MAX_BRACKETS: usize = 200;

/// The stack for a tree of this depth, in bytes.
pub(crate) const fn room_for(depth: usize) -> usize {
    depth.saturating_mul(MOST_ROOM / MAX_DEPTH)
}

/// Runs work that recurses as deep as a text is nested, for which it needs `room` bytes of stack. Most texts are so shallow that there is as
/// much where it is called: another stack costs a dozen microseconds.
pub(crate) fn deep<T>(room: usize, work: impl FnOnce() -> T) -> T {
    let room = room.min(MOST_ROOM) + SPENT;
    stacker::maybe_grow(room, room + SPENT, work)
}
