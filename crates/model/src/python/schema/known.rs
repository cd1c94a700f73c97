//! The types that Python itself has, by the dotted path of their import.

use serde_json::{Value, json};

use crate::function::signature::any;

/// A type that the language or its library defines, as far as schemas tell them apart.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    Integer,
    Number,
    String,
    Boolean,
    Null,
    Array,
    /// Iterators and generators: an array, or what a generator yields.
    Stream,
    Set,
    Tuple,
    Mapping,
    /// `Counter[T]`, whose values are always numbers.
    Counter,
    Optional,
    Union,
    Literal,
    Annotated,
    /// `Final[T]`, `Required[T]` and others that say nothing about the value.
    Wrapper,
    Coroutine,
    DateTime,
    Date,
    Time,
    Bytes,
    Uuid,
    /// Everything that is a type but has no JSON form.
    Opaque,
}

impl Known {
    /// The schema of the type without arguments.
    pub(super) fn bare(self) -> Value {
        match self {
            Known::Integer => json!({"type": "integer"}),
            Known::Number => json!({"type": "number"}),
            Known::String => json!({"type": "string"}),
            Known::Boolean => json!({"type": "boolean"}),
            Known::Null => json!({"type": "null"}),
            Known::Array | Known::Stream | Known::Tuple => json!({"type": "array"}),
            Known::Set => json!({"type": "array", "uniqueItems": true}),
            Known::Mapping => json!({"type": "object"}),
            Known::Counter => json!({"type": "object", "additionalProperties": {"type": "integer"}}),
            Known::DateTime => json!({"type": "string", "format": "date-time"}),
            Known::Date => json!({"type": "string", "format": "date"}),
            Known::Time => json!({"type": "string", "format": "time"}),
            Known::Bytes => json!({"type": "string", "contentEncoding": "base64"}),
            Known::Uuid => json!({"type": "string", "format": "uuid"}),
            Known::Optional
            | Known::Union
            | Known::Literal
            | Known::Annotated
            | Known::Wrapper
            | Known::Coroutine
            | Known::Opaque => any(),
        }
    }
}

/// Modules whose types are known. `t` is what people call `typing` where the import is out of sight.
const MODULES: &[&str] = &[
    "builtins",
    "collections",
    "collections.abc",
    "datetime",
    "decimal",
    "numbers",
    "pathlib",
    "t",
    "types",
    "typing",
    "typing_extensions",
    "uuid",
];

pub(in crate::python) fn is_known_type(path: &str) -> bool {
    known(path).is_some()
}

/// The type of that path. A bare name is taken for the one that is usually meant, since a source that forgot the
/// import still tells what its author wants.
pub(super) fn known(path: &str) -> Option<Known> {
    let name = match path.rsplit_once('.') {
        Some((module, name)) => MODULES.contains(&module).then_some(name)?,
        None => path,
    };
    Some(match name {
        "int" | "Integral" => Known::Integer,
        "float" | "Real" | "Number" => Known::Number,
        "str" | "Text" | "LiteralString" | "AnyStr" | "Path" | "PurePath" | "PosixPath" => Known::String,
        "bool" => Known::Boolean,
        "None" | "NoneType" => Known::Null,
        "list" | "List" | "Sequence" | "MutableSequence" | "Collection" | "Container" | "deque" | "Deque"
        | "Reversible" => Known::Array,
        "Iterable" | "Iterator" | "Generator" | "AsyncIterable" | "AsyncIterator" | "AsyncGenerator" => {
            Known::Stream
        }
        "set" | "Set" | "frozenset" | "FrozenSet" | "AbstractSet" | "MutableSet" => Known::Set,
        "tuple" | "Tuple" => Known::Tuple,
        "dict" | "Dict" | "Mapping" | "MutableMapping" | "OrderedDict" | "defaultdict" | "DefaultDict" => {
            Known::Mapping
        }
        "Counter" => Known::Counter,
        "Optional" => Known::Optional,
        "Union" => Known::Union,
        "Literal" => Known::Literal,
        "Annotated" => Known::Annotated,
        "Final" | "ClassVar" | "Required" | "NotRequired" | "ReadOnly" | "Awaitable" => Known::Wrapper,
        "Coroutine" => Known::Coroutine,
        "datetime" => Known::DateTime,
        "date" => Known::Date,
        "time" => Known::Time,
        "bytes" | "bytearray" | "ByteString" | "memoryview" => Known::Bytes,
        "UUID" => Known::Uuid,
        "Any" | "object" | "Callable" | "type" | "Type" | "Decimal" | "timedelta" | "complex"
        | "Hashable" | "NoReturn" | "Never" | "Self" | "Pattern" | "Match" | "IO" | "TextIO" | "BinaryIO"
        | "NamedTuple" | "SimpleNamespace" => Known::Opaque,
        _ => return None,
    })
}
