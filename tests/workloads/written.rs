// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! written [N=100]: functions of Rust that have to be named.
//!
//! Known answer: calls of each, for N.
//!
//! 	written::inner::f                    N
//! 	written::Thing::get                  2 N, of the type itself
//! 	<written::Thing as written::Says>::say   3 N
//! 	written::inner::of                   N of i32, 2 N of i64: two functions
use std::hint::black_box;

mod inner {
    #[inline(never)]
    pub fn f(x: i64) -> i64 {
        std::hint::black_box(x) + 1
    }
    #[inline(never)]
    pub fn of<T: Into<i64>>(x: T) -> i64 {
        let y: i64 = x.into();
        std::hint::black_box(y) * 2
    }
}

trait Says {
    fn say(&self) -> i64;
}

struct Thing(i64);

impl Thing {
    #[inline(never)]
    fn get(&self) -> i64 {
        black_box(self.0) + 3
    }
}

impl Says for Thing {
    #[inline(never)]
    fn say(&self) -> i64 {
        black_box(self.0) + 4
    }
}

fn main() {
    let n: i64 = std::env::args().nth(1).map_or(100, |a| a.parse().unwrap());
    let mut sum = 0;
    for i in 0..n {
        let t = Thing(i);
        sum += inner::f(i) + t.get() + t.get() + t.say() + t.say() + t.say();
        sum += inner::of(black_box(i as i32)) + inner::of(i) + inner::of(i + 1);
    }
    println!("sum {}", sum);
}
