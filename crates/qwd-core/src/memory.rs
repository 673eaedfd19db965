//! Large zeroed memory for dense parts of W.

/// Asks for `n` default values in memory that the system may back with large pages.
///
/// Training reads W in scattered lines; with pages of 4 kB each of them costs a walk through the page tables as well,
/// about a sixth of the time. The hint changes no value, and where it is refused nothing is lost.
#[expect(unsafe_code, reason = "madvise is the only way to ask for large pages")]
pub fn zeroed<T: Copy + Default>(n: usize) -> Vec<T> {
    let memory = vec![T::default(); n];
    #[cfg(target_os = "linux")]
    {
        const LARGE_PAGE: usize = 2 << 20;
        let start = (memory.as_ptr() as usize).next_multiple_of(LARGE_PAGE);
        let end = (memory.as_ptr() as usize + size_of_val(memory.as_slice())) / LARGE_PAGE * LARGE_PAGE;
        if end > start {
            // SAFETY: the range lies inside the vector's own allocation, and MADV_HUGEPAGE does not change contents.
            unsafe { libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE) };
        }
    }
    memory
}
