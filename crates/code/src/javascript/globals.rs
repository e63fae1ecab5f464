//! Names that Node or browsers declare: a linter that reports one of them is not configured for the
//! environment, and the code is right.

/// Global names of Node and of browsers that code hardly uses for anything else, in order. Words that code uses
/// for its own purposes (`name`, `event`, `open`) are left out: a linter that reports one of those has most
/// likely found a slip.
const GLOBALS: &[&str] = &[
    "AbortController",
    "AbortSignal",
    "Array",
    "ArrayBuffer",
    "AudioContext",
    "BigInt",
    "Blob",
    "Boolean",
    "BroadcastChannel",
    "Buffer",
    "CustomEvent",
    "DOMException",
    "DOMParser",
    "DataView",
    "Date",
    "Document",
    "DocumentFragment",
    "Element",
    "Error",
    "Event",
    "EventSource",
    "EventTarget",
    "File",
    "FileReader",
    "FormData",
    "HTMLElement",
    "Headers",
    "Image",
    "IntersectionObserver",
    "Intl",
    "JSON",
    "Map",
    "Math",
    "MessageChannel",
    "MessageEvent",
    "MessagePort",
    "MutationObserver",
    "Node",
    "NodeList",
    "Number",
    "Object",
    "Promise",
    "Proxy",
    "ReadableStream",
    "Reflect",
    "RegExp",
    "Request",
    "ResizeObserver",
    "Response",
    "Set",
    "SharedArrayBuffer",
    "String",
    "Symbol",
    "TextDecoder",
    "TextEncoder",
    "TransformStream",
    "URL",
    "URLSearchParams",
    "WeakMap",
    "WeakRef",
    "WeakSet",
    "WebAssembly",
    "WebSocket",
    "Worker",
    "WritableStream",
    "XMLHttpRequest",
    "__dirname",
    "__filename",
    "alert",
    "atob",
    "btoa",
    "cancelAnimationFrame",
    "clearImmediate",
    "clearInterval",
    "clearTimeout",
    "console",
    "crypto",
    "customElements",
    "document",
    "exports",
    "fetch",
    "getComputedStyle",
    "global",
    "globalThis",
    "importScripts",
    "indexedDB",
    "localStorage",
    "matchMedia",
    "module",
    "navigator",
    "performance",
    "process",
    "queueMicrotask",
    "requestAnimationFrame",
    "requestIdleCallback",
    "require",
    "self",
    "sessionStorage",
    "setImmediate",
    "setInterval",
    "setTimeout",
    "structuredClone",
    "window",
];

/// Returns whether Node or browsers declare the name.
pub(crate) fn is_global(name: &str) -> bool {
    GLOBALS.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order() {
        assert!(GLOBALS.is_sorted());
        assert!(["process", "Buffer", "__dirname", "window"].into_iter().all(is_global));
        assert!(!is_global("procces"));
    }
}
