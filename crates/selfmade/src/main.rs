//! The command line: reads what is asked, asks the API, shows what resulted from it. No rule of the product and no SQL is here.

// They panic when the output cannot be written.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod allocator;
mod brain_folder;
mod cli;
mod client;
mod commands;
mod config;
mod error;
mod files;
mod logging;
mod session;
mod shipped;
mod terminal;
mod views;
mod worker;

use std::io::Write as _;
use std::panic::AssertUnwindSafe;
use std::process::ExitCode;

use clap::Parser;

use crate::cli::Cli;
use crate::config::{Settings, misspelt_variables};
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::interrupt::Interrupts;
use crate::terminal::output::Output;

fn main() -> ExitCode {
    // A zygote's first process is this program again; it must not have threads.
    sandbox::stage1::enter_if_asked();
    std::panic::set_hook(Box::new(report_bug));
    // The hook has told what happened; here only the exit code is left to give.
    let exit = std::panic::catch_unwind(AssertUnwindSafe(run)).unwrap_or(Exit::Bug);
    ExitCode::from(exit as u8)
}

fn run() -> Exit {
    let cli = Cli::parse().with_named_server();
    let output = Output::new(&cli.globals);
    for (name, meant) in misspelt_variables() {
        output.warning(format!("the variable `{name}` is not read; did you mean `{meant}`?"));
    }
    let done = Settings::read(&cli).and_then(|settings| {
        logging::start(&settings, cli.command.as_ref())?;
        let runtime =
            tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(Error::Runtime)?;
        runtime.block_on(async {
            let session = Session { output: output.clone(), settings, interrupts: Interrupts::watch() };
            commands::run(&session, cli.command).await
        })
    });
    match done {
        Ok(exit) => exit,
        Err(error) => {
            output.error(&error);
            error.exit()
        }
    }
}

fn report_bug(panic: &std::panic::PanicHookInfo<'_>) {
    let place =
        panic.location().map(|place| format!(" at {}:{}", place.file(), place.line())).unwrap_or_default();
    let message = panic.payload_as_str().unwrap_or("no message");
    let version = env!("CARGO_PKG_VERSION");
    let hint = "please report this with the command that caused it; everything acknowledged before is stored";
    // A panic here would end the process, although a server goes on after most panics.
    let _ = writeln!(
        anstream::stderr().lock(),
        "bug: selfmade {version} stopped{place}: {message}\nhint: {hint}"
    );
}
