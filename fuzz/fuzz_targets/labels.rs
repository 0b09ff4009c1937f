#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| moretta_soak::fuzz::labels(data));
