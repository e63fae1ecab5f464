//! Room for recursion. Parsers and all code that walks a tree need stack in proportion to the nesting of a
//! text, and a stack overflow ends the whole process. Two measures prevent it: texts nested beyond a limit are
//! rejected ([`MAX_DEPTH`]), and all work on a tree runs with enough stack for several times that depth,
//! whatever thread it started on.

/// Maximum stack for work on a tree, in bytes. Only the part that is used takes memory.
pub(crate) const MOST_ROOM: usize = 256 << 20;

/// Stack that work may use before it requests room again, in bytes: the room is then still available.
const SPENT: usize = 1 << 20;

/// Maximum depth of a tree, in tokens: a text is refused if more tokens than this lie between its outermost
/// part and its innermost, each counted as one that nests. A token takes at most some 2.5 KB of stack, so
/// there is room for three times as many. `CPython` gives up at about 3,000 levels, of two tokens or more.
pub(crate) const MAX_DEPTH: usize = 30_000;

/// Maximum depth of nested brackets: `CPython`'s own limit.
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
