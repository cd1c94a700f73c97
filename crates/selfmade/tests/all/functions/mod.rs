//! `selfmade fn …`.

mod adding;
mod changing;
mod dependents;
mod reading;
mod versions;

const GREET: &str =
    "def greet(name: str, *, loud: bool = False) -> str:\n    \"\"\"Say hello.\"\"\"\n    return name\n";
