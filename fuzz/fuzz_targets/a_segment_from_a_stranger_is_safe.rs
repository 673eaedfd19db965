#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| qwd_fuzz::a_segment_from_a_stranger_is_safe(bytes));
