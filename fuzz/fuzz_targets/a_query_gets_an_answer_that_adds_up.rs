#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| qwd_fuzz::a_query_gets_an_answer_that_adds_up(bytes));
