//! The fields of a schema: names, types, defaults, descriptions, and which of them are secrets.

use std::cell::{Cell, RefCell};

use ruff_python_ast::{Expr, ExprCall, Stmt, StmtAnnAssign, StmtClassDef};
use ruff_text_size::Ranged;
use serde_json::{Value, json};

use super::annotation::Models;
use super::class;
use super::values::{Values, python};
use super::{not_literal, refused};
use crate::python::error::SourceError;
use crate::python::layout;
use crate::python::pack::collect::Module;
use crate::python::types::last_segment;

/// Aliases that name each other twice would otherwise grow without end.
const MAX_ANNOTATIONS: usize = 2_000;
/// What only the package pydantic checks.
const CHECKED: &[&str] = &["ge", "gt", "le", "lt", "multiple_of", "min_length", "max_length", "pattern"];

pub(super) struct Field {
    pub(super) name: String,
    pub(super) annotation: String,
    /// As Python writes it; `...` where the class itself has to say it.
    pub(super) default: Option<String>,
    pub(super) description: String,
    pub(super) hidden: Option<Hidden>,
}

/// What a caller does not give.
#[derive(Clone)]
pub(super) enum Hidden {
    /// A value that the class takes from a secret itself.
    Secret,
    /// Credentials: the provider, and which attributes are read from which secrets.
    Credentials { provider: String, secrets: Vec<(&'static str, String)> },
}

pub(super) struct Reader<'m, 'a> {
    pub(super) module: &'m Module<'a>,
    pub(super) models: Models,
    secrets: RefCell<Vec<String>>,
    pub(super) needs_pydantic: Cell<bool>,
    /// How many more parts of annotations are written out; the rest is `Any`.
    pub(super) annotations_left: Cell<usize>,
}

impl<'m, 'a> Reader<'m, 'a> {
    pub(super) fn new(module: &'m Module<'a>) -> Reader<'m, 'a> {
        Reader {
            module,
            models: Models::default(),
            secrets: RefCell::default(),
            needs_pydantic: Cell::new(false),
            annotations_left: Cell::new(MAX_ANNOTATIONS),
        }
    }

    pub(super) fn secrets(&self) -> Vec<String> {
        let mut names = self.secrets.borrow().clone();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The fields of a class and of those it descends from, in the order in which pydantic has them.
    pub(super) fn schema(&self, class: &'a StmtClassDef) -> Result<Vec<Field>, SourceError> {
        let mut found: Vec<Field> = Vec::new();
        for class in class::lineage(self.module, class).into_iter().rev() {
            self.check_schema(class)?;
            for base in class.bases() {
                let path = self.module.types.path(base).unwrap_or_default();
                let is_known = super::class_named(self.module, &path).is_some()
                    || class::is_framework(&path)
                    || path == "pydantic.BaseModel";
                if !is_known {
                    let written = &self.module.text.as_str()[base.range().to_std_range()];
                    let shown: String = written.chars().take(60).collect();
                    let message =
                        format!("the fields of `{shown}` are not known, as it is no class of this file");
                    return Err(refused(self.module, base, message, "define it in the file"));
                }
            }
            for statement in &class.body {
                let Stmt::AnnAssign(assign) = statement else { continue };
                let Expr::Name(name) = &*assign.target else { continue };
                if !name.id.as_str().starts_with('_') {
                    let field = self.field(name.id.as_str(), assign)?;
                    found.retain(|known| known.name != field.name);
                    found.push(field);
                }
            }
        }
        Ok(found)
    }

    /// A schema says its fields one after the other. What is stated under a condition, or made by a call, is known only when the
    /// file is run.
    fn check_schema(&self, class: &StmtClassDef) -> Result<(), SourceError> {
        class::check_definition(self.module, class)?;
        let is_plain = |statement: &Stmt| match statement {
            Stmt::AnnAssign(_) | Stmt::FunctionDef(_) | Stmt::ClassDef(_) | Stmt::Pass(_) => true,
            Stmt::Assign(assign) => assign.targets.iter().all(Expr::is_name_expr),
            Stmt::Expr(_) => layout::is_docstring(statement) || is_ellipsis(statement),
            _ => false,
        };
        match class.body.iter().find(|statement| !is_plain(statement)) {
            None => Ok(()),
            Some(other) => {
                let message = format!("the fields of `{}` are not known without running this", class.name);
                Err(refused(self.module, other, message, "state each field as `name: type = SchemaField(…)`"))
            }
        }
    }

    fn field(&self, name: &str, assign: &StmtAnnAssign) -> Result<Field, SourceError> {
        let call = assign.value.as_deref().and_then(|value| value.as_call_expr());
        let call = call.filter(|call| self.is_field(call));
        let argument =
            |name: &str| call.and_then(|call| call.arguments.find_keyword(name)).map(|one| &one.value);
        if let Some(alias) = argument("alias") {
            let message = format!("`{name}` has an alias, and a pin has one name");
            return Err(refused(self.module, alias, message, "name the field as the pin is to be called"));
        }
        if CHECKED.iter().any(|checked| argument(checked).is_some()) {
            self.needs_pydantic.set(true);
        }
        let values = Values::new(self.module);
        let description = argument("description").and_then(|text| values.of(text).ok());
        let default = match (call, assign.value.as_deref()) {
            (None, None) => None,
            (None, Some(value)) => self.default(value)?,
            (Some(call), _) => self.stated_default(call)?,
        };
        Ok(Field {
            name: name.to_owned(),
            annotation: self.annotation(&assign.annotation, 0),
            default,
            description: description.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned(),
            hidden: self.hidden(name, assign, call)?,
        })
    }

    /// `SchemaField(…)`, `Field(…)` and their like.
    fn is_field(&self, call: &ExprCall) -> bool {
        self.module.types.path(&call.func).is_some_and(|path| last_segment(&path).ends_with("Field"))
    }

    fn stated_default(&self, call: &ExprCall) -> Result<Option<String>, SourceError> {
        let keyword = |name: &str| call.arguments.find_keyword(name).map(|keyword| &keyword.value);
        if let Some(factory) = keyword("default_factory") {
            let made = match factory {
                Expr::Name(name) if name.id.as_str() == "list" => "[]",
                Expr::Name(name) if name.id.as_str() == "dict" => "{}",
                _ => "...",
            };
            return Ok(Some(made.to_owned()));
        }
        match keyword("default").or_else(|| call.arguments.args.first()) {
            None | Some(Expr::EllipsisLiteral(_)) => Ok(None),
            Some(value) => self.default(value),
        }
    }

    fn default(&self, value: &Expr) -> Result<Option<String>, SourceError> {
        if let Expr::Call(call) = value
            && class::schema_class(self.module, &call.func).is_some()
        {
            self.take_secrets_of(&call.func)?;
            return Ok(Some("...".to_owned()));
        }
        let known = Values::new(self.module).of(value);
        let value = known.map_err(|at| not_literal(self.module, at, "a default"))?;
        Ok(Some(python(&value)))
    }

    /// A model that is a default may read secrets itself.
    fn take_secrets_of(&self, name: &Expr) -> Result<(), SourceError> {
        let Some(class) = class::schema_class(self.module, name) else { return Ok(()) };
        for class in class::lineage(self.module, class) {
            for statement in &class.body {
                let Stmt::AnnAssign(assign) = statement else { continue };
                let call = assign.value.as_deref().and_then(|value| value.as_call_expr());
                if let (Expr::Name(name), Some(call)) = (&*assign.target, call) {
                    self.secret_key(name.id.as_str(), call)?;
                }
            }
        }
        Ok(())
    }

    /// Notes the secret of `SecretField(key="…")`.
    fn secret_key(&self, field: &str, call: &ExprCall) -> Result<bool, SourceError> {
        let path = self.module.types.path(&call.func).unwrap_or_default();
        if last_segment(&path) != "SecretField" {
            return Ok(false);
        }
        let key = call.arguments.find_keyword("key").map(|keyword| &keyword.value);
        let key = key.map(|key| Values::new(self.module).of(key));
        match key {
            Some(Ok(Value::String(key))) => {
                self.secrets.borrow_mut().push(key);
                Ok(true)
            }
            Some(Err(at)) => Err(not_literal(self.module, at, "the `key` of a secret")),
            _ => {
                let message = format!("`{field}` does not say which secret it is");
                Err(refused(self.module, call, message, "write `SecretField(key=\"the_name\")`"))
            }
        }
    }

    fn hidden(
        &self,
        name: &str,
        assign: &StmtAnnAssign,
        call: Option<&ExprCall>,
    ) -> Result<Option<Hidden>, SourceError> {
        if let Some(call) = call
            && self.secret_key(name, call)?
        {
            return Ok(Some(Hidden::Secret));
        }
        let Some((provider, kinds)) = self.credentials(&assign.annotation) else { return Ok(None) };
        let provider = slug(&provider);
        let secret = |suffix: &str| format!("{provider}_{suffix}");
        let secrets = match kinds.iter().find(|kind| KINDS.contains(&kind.as_str())).map(String::as_str) {
            Some("user_password") => {
                vec![("username", secret("username")), ("password", secret("password"))]
            }
            Some("oauth2") => vec![("access_token", secret("access_token"))],
            _ => vec![("api_key", secret("api_key"))],
        };
        self.secrets.borrow_mut().extend(secrets.iter().map(|(_, secret)| secret.clone()));
        Ok(Some(Hidden::Credentials { provider, secrets }))
    }

    /// The provider and the kinds of `CredentialsMetaInput[Literal[…], Literal[…]]`, which may have a name of its own.
    fn credentials(&self, annotation: &Expr) -> Option<(String, Vec<String>)> {
        match annotation {
            Expr::Subscript(subscript) => {
                let path = self.module.types.path(&subscript.value)?;
                let Expr::Tuple(arguments) = &*subscript.slice else { return None };
                let [provider, kinds] = arguments.elts.as_slice() else { return None };
                if last_segment(&path) != "CredentialsMetaInput" {
                    return None;
                }
                Some((literals(provider).into_iter().next()?, literals(kinds)))
            }
            Expr::Name(name) => {
                let aliased = self.module.parsed.syntax().body.iter().find_map(|statement| match statement {
                    Stmt::Assign(assign) => match assign.targets.as_slice() {
                        [Expr::Name(target)] if target.id == name.id => Some(&*assign.value),
                        _ => None,
                    },
                    _ => None,
                });
                self.credentials(aliased.filter(|value| value.is_subscript_expr())?)
            }
            _ => None,
        }
    }
}

/// `...`, which stands for an empty body.
fn is_ellipsis(statement: &Stmt) -> bool {
    matches!(statement, Stmt::Expr(expr) if expr.value.is_ellipsis_literal_expr())
}

/// A name of a provider as a part of a secret's name.
fn slug(provider: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    provider.chars().map(plain).collect()
}

const KINDS: &[&str] = &["api_key", "user_password", "oauth2"];

/// The texts and names in `Literal["api_key"]` and `Literal[ProviderName.OPENAI]`.
fn literals(expr: &Expr) -> Vec<String> {
    let Expr::Subscript(subscript) = expr else { return Vec::new() };
    let elements = match &*subscript.slice {
        Expr::Tuple(tuple) => tuple.elts.as_slice(),
        single => std::slice::from_ref(single),
    };
    let text = |element: &Expr| match element {
        Expr::StringLiteral(text) => Some(text.value.to_str().to_owned()),
        Expr::Attribute(attribute) => Some(attribute.attr.as_str().to_lowercase()),
        _ => None,
    };
    elements.iter().filter_map(text).collect()
}

impl Field {
    /// JSON Schema is not needed to see that a value is of a type that a test names.
    pub(super) fn type_schema(name: &str) -> Option<Value> {
        Some(match name {
            "str" => json!({"type": "string"}),
            "int" => json!({"type": "integer"}),
            "float" => json!({"type": "number"}),
            "bool" => json!({"type": "boolean"}),
            "list" => json!({"type": "array"}),
            "dict" => json!({"type": "object"}),
            "object" => json!({}),
            _ => return None,
        })
    }
}
