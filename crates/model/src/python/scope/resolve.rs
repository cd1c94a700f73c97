//! What the noted uses refer to.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use ruff_python_ast::Expr;

use super::{FreeName, Kind, MODULE, Scope, Scopes, Use, Yield};
use crate::python::builtins::{is_builtin, is_module_dunder};
use crate::python::text::Text;

impl<'a> Scopes<'a> {
    /// The names that nothing in the source binds, by first appearance.
    pub(in crate::python) fn free_names(&self, text: &Text) -> Vec<FreeName> {
        let mut uses: Vec<&Use<'a>> = self.uses.iter().filter(|used| self.is_free(used)).collect();
        uses.sort_by_key(|used| used.offset);
        let mut found: Vec<FreeName> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut chains: HashSet<String> = HashSet::new();
        for used in uses {
            let place = *places.entry(&used.name).or_insert(found.len());
            if place == found.len() {
                found.push(free_name(used, text));
            }
            let free = &mut found[place];
            free.in_annotation &= used.in_annotation;
            if !used.attributes.is_empty() {
                let chain = format!("{}.{}", used.name, used.attributes.join("."));
                if chains.insert(chain.clone()) {
                    free.attributes.push(chain);
                }
            }
        }
        found
    }

    /// The same names alone.
    pub(in crate::python) fn free(&self) -> BTreeSet<String> {
        let free = self.uses.iter().filter(|used| self.is_free(used));
        free.map(|used| used.name.clone().into_owned()).collect()
    }

    /// The names that the module itself binds.
    pub(in crate::python) fn module_names(&self) -> impl Iterator<Item = String> {
        self.scopes[MODULE].bound.iter().map(|name| name.clone().into_owned())
    }

    /// The literal keys that the source reads from its globals, by first appearance.
    pub(in crate::python) fn globals_read(&self) -> Vec<String> {
        let mut seen = HashSet::new();
        let is_the_builtin = |scope| self.binder(scope, "globals", true).is_none();
        let read =
            self.globals_read.iter().filter(|(scope, key)| is_the_builtin(*scope) && seen.insert(*key));
        read.map(|(_, key)| (*key).to_owned()).collect()
    }

    /// The first attributes of uses of these names: `run` of `selfmade.run.later`.
    pub(in crate::python) fn attributes_of(&self, names: &HashSet<&str>) -> impl Iterator<Item = &'a str> {
        let uses = self.uses.iter().filter(|used| names.contains(used.name.as_ref()));
        uses.filter_map(|used| used.attributes.first().copied())
    }

    /// The first `nonlocal` name that no function around it binds, and its offset.
    pub(in crate::python) fn unbound_nonlocal(&self) -> Option<(&'a str, usize)> {
        // `__class__` is bound around every method.
        let is_unbound = |(scope, name, _): &&(usize, &'a str, usize)| {
            let binder = self.binder(self.scopes[*scope].parent, name, false);
            *name != "__class__" && binder.is_none_or(|binder| binder == MODULE)
        };
        self.nonlocals.iter().find(is_unbound).map(|(_, name, offset)| (*name, *offset))
    }

    /// The yields of the stored function itself.
    pub(in crate::python) fn yields(&self) -> Vec<Yield<'a>> {
        let own = self.yields.iter().filter(|(scope, _)| Some(*scope) == self.function);
        own.map(|(_, found)| *found).collect()
    }

    /// The annotations of local variables of the stored function. The first one of a name counts.
    pub(in crate::python) fn local_annotations(&self) -> BTreeMap<&'a str, &'a Expr> {
        let own = self.annotated.iter().rev().filter(|(scope, _, _)| Some(*scope) == self.function);
        own.map(|(_, name, annotation)| (*name, *annotation)).collect()
    }

    pub(super) fn is_free(&self, used: &Use<'_>) -> bool {
        !is_builtin(&used.name)
            && !is_module_dunder(&used.name)
            && self.binder(used.scope, &used.name, used.bound_before).is_none()
    }

    /// The scope that binds a name as seen from `scope`.
    fn binder(&self, scope: usize, name: &str, bound_before: bool) -> Option<usize> {
        let in_module = || self.scopes[MODULE].bound.contains(name).then_some(MODULE);
        let mut at = scope;
        // A class body is seen from itself and from the annotations in it, but not from its methods.
        let mut sees_class = true;
        loop {
            let Scope { kind, parent, bound, global, .. } = &self.scopes[at];
            if at == MODULE || global.contains(name) {
                return in_module();
            }
            if bound.contains(name) {
                match kind {
                    // Before its body has bound it, a class looks the name up in the module, not in between.
                    Kind::Class if at == scope && !bound_before => return in_module(),
                    Kind::Class if !sees_class => {}
                    _ => return Some(at),
                }
            }
            sees_class &= *kind == Kind::Annotation;
            at = *parent;
        }
    }
}

fn free_name(used: &Use<'_>, text: &Text) -> FreeName {
    let (line, column) = text.position(used.offset);
    FreeName {
        name: used.name.clone().into_owned(),
        attributes: Vec::new(),
        line,
        column,
        in_annotation: true,
    }
}
