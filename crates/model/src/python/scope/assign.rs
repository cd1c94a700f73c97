//! The walk over what assigns: targets of assignments, loops and `with`, and the patterns of `match`.

use ruff_python_ast::{Expr, Pattern};

use super::Walk;

impl<'a> Walk<'a> {
    /// Names in a target are bound; everything else in it, as in `items[key].name`, is used.
    pub(super) fn target(&mut self, target: &'a Expr) {
        match target {
            Expr::Name(name) => self.bind(name.id.as_str()),
            Expr::Starred(starred) => self.target(&starred.value),
            Expr::Tuple(tuple) => tuple.elts.iter().for_each(|element| self.target(element)),
            Expr::List(list) => list.elts.iter().for_each(|element| self.target(element)),
            target => self.expr(target),
        }
    }

    pub(super) fn pattern(&mut self, pattern: &'a Pattern) {
        match pattern {
            Pattern::MatchValue(value) => self.expr(&value.value),
            Pattern::MatchSingleton(_) => {}
            Pattern::MatchSequence(sequence) => self.patterns(&sequence.patterns),
            Pattern::MatchOr(alternatives) => self.patterns(&alternatives.patterns),
            Pattern::MatchStar(star) => self.capture(star.name.as_ref()),
            Pattern::MatchAs(capture) => {
                if let Some(pattern) = &capture.pattern {
                    self.pattern(pattern);
                }
                self.capture(capture.name.as_ref());
            }
            Pattern::MatchMapping(mapping) => {
                mapping.keys.iter().for_each(|key| self.expr(key));
                self.patterns(&mapping.patterns);
                self.capture(mapping.rest.as_ref());
            }
            Pattern::MatchClass(class) => {
                self.expr(&class.cls);
                self.patterns(&class.arguments.patterns);
                class.arguments.keywords.iter().for_each(|keyword| self.pattern(&keyword.pattern));
            }
        }
    }

    fn patterns(&mut self, patterns: &'a [Pattern]) {
        patterns.iter().for_each(|pattern| self.pattern(pattern));
    }

    fn capture(&mut self, name: Option<&'a ruff_python_ast::Identifier>) {
        if let Some(name) = name {
            self.bind(name.as_str());
        }
    }
}
