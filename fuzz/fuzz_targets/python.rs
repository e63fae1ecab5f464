#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| autoheal_fuzz::python(bytes));
