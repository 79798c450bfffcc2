// SPDX-License-Identifier: Apache-2.0
// Call the driver through cushim from Rust: rustc devices.rs -L FOLDER_OF_LIBCUSHIM && ./devices
use std::ffi::CStr;
use std::os::raw::{c_char, c_int, c_uint};
use std::{mem, process, ptr};

// As in <cushim/table.h>.
#[repr(C)]
struct Symbol {
    size: usize,
    name: *const c_char,
    fallback: *const c_char,
    since: c_int,
    state: c_uint,
    is_missed: bool,
}

#[link(name = "cushim")]
extern "C" {
    fn cushim_driver_init(options: *const u8) -> c_int;
    fn cushim_driver_has(symbol: *const c_char, version: c_int) -> bool;
    fn cushim_error_string(code: c_int) -> *const c_char;
    fn cushim_symbol_count() -> usize;
    fn cushim_symbol_get(index: usize, symbol: *mut Symbol) -> c_int;
    fn cushim_table_current() -> *const usize;
}

// The slot of a function: a word of the table, whose first word is its size.
unsafe fn slot(wanted: &CStr) -> usize {
    for index in 0..cushim_symbol_count() {
        let mut symbol: Symbol = mem::zeroed();

        symbol.size = mem::size_of::<Symbol>();
        check(cushim_symbol_get(index, &mut symbol), "a symbol");
        if CStr::from_ptr(symbol.name) == wanted {
            return *cushim_table_current().add(1 + index);
        }
    }
    panic!("{:?} is not in the driver API", wanted);
}

fn text(name: &[u8]) -> &CStr {
    CStr::from_bytes_with_nul(name).expect("a name ends with a NUL")
}

fn check(code: c_int, what: &str) {
    if code != 0 {
        let reason = unsafe { CStr::from_ptr(cushim_error_string(code)) };

        eprintln!("{}: {}", what, reason.to_string_lossy());
        process::exit(1);
    }
}

// Types of the driver's functions, as driver-api.json has them.
type DeviceGetCount = extern "C" fn(*mut c_int) -> c_int;
type DeviceGetName = extern "C" fn(*mut c_char, c_int, c_int) -> c_int;

fn main() {
    check(unsafe { cushim_driver_init(ptr::null()) }, "no CUDA");
    let get_count: DeviceGetCount = unsafe { mem::transmute(slot(text(b"cuDeviceGetCount\0"))) };
    let get_name: DeviceGetName = unsafe { mem::transmute(slot(text(b"cuDeviceGetName\0"))) };
    let mut count = 0;

    check(get_count(&mut count), "cuDeviceGetCount");
    for device in 0..count {
        let mut name = [0 as c_char; 256];

        check(get_name(name.as_mut_ptr(), 256, device), "cuDeviceGetName");
        let name = unsafe { CStr::from_ptr(name.as_ptr()) };
        println!("device {}: {}", device, name.to_string_lossy());
    }
    let green = unsafe { cushim_driver_has(text(b"cuGreenCtxCreate\0").as_ptr(), 12040) };
    println!("green contexts: {}", if green { "yes" } else { "no" });
}
