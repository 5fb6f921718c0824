// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Known answer: of 300 calls of may_panic 100 panic, and each of these is caught. */
use std::hint::black_box;
use std::panic;

#[no_mangle]
#[inline(never)]
pub extern "C-unwind" fn may_panic(n: u32) -> u32 {
    if black_box(n) % 3 == 0 {
        panic!("third");
    }
    black_box(n) + 1
}

fn main() {
    panic::set_hook(Box::new(|_| {}));
    let caught = (0..300).filter(|&n| panic::catch_unwind(|| may_panic(n)).is_err()).count();
    println!("caught {caught}");
}
