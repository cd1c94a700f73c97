//! A binary that can be nothing but stage 1, for this crate's own tests and for programs that embed the sandbox without
//! wanting to be re-executed.

fn main() {
    selfmade_sandbox::stage1::enter_if_asked();
    eprintln!("selfmade-stage1 is started by the sandbox; it does nothing by itself");
    std::process::exit(2);
}
