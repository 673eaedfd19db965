#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| qwd_fuzz::a_request_never_breaks_the_server(bytes));
