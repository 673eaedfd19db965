#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| qwd_fuzz::a_log_keeps_its_whole_records(bytes));
