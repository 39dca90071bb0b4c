//! Files and functions stay short enough to be read in one go, and a call has few enough parameters to be read at all.
//! Tests may be as long as they need.

use syn::{
    spanned::Spanned,
    visit::{self, Visit},
};

use super::{
    Breach,
    tree::{File, Tree},
};

const FILE_LINES_MAX: usize = 600;
const FUNCTION_LINES_MAX: usize = 70;
/// With `self`. This many already want a struct or a better owner.
const PARAMETERS_MAX: usize = 5;

pub fn check(tree: &Tree) -> Vec<Breach> {
    tree.rust().filter(|file| !file.is_test()).flat_map(|file| [long_file(file), functions(file)].concat()).collect()
}

fn long_file(file: &File) -> Vec<Breach> {
    let lines = file.text.lines().count();
    let breach = || Breach::new(&file.path, 1, format!("{lines} lines in a file, more than {FILE_LINES_MAX}"));
    if lines > FILE_LINES_MAX { vec![breach()] } else { Vec::new() }
}

fn functions(file: &File) -> Vec<Breach> {
    let mut functions = Functions::default();
    if let Some(syntax) = file.shipped() {
        functions.visit_file(syntax);
    }
    let faults = functions.found.iter().flat_map(|function| function.faults().map(|fault| (function.line, fault)));
    faults.map(|(line, fault)| Breach::new(&file.path, line, fault)).collect()
}

struct Function {
    name: String,
    line: usize,
    lines: usize,
    parameters: usize,
}

impl Function {
    fn faults(&self) -> impl Iterator<Item = String> {
        let fault = |count: usize, what: &str, most: usize| {
            (count > most).then(|| format!("`{}` has {count} {what}, more than {most}", self.name))
        };
        let long = fault(self.lines, "lines", FUNCTION_LINES_MAX);
        long.into_iter().chain(fault(self.parameters, "parameters", PARAMETERS_MAX))
    }
}

#[derive(Default)]
struct Functions {
    found: Vec<Function>,
}

impl Functions {
    /// Counts from the word `fn` to the closing brace.
    fn add(&mut self, signature: &syn::Signature, body: &syn::Block) {
        let line = signature.fn_token.span().start().line;
        let lines = body.span().end().line + 1 - line;
        self.found.push(Function {
            name: signature.ident.to_string(),
            line,
            lines,
            parameters: signature.inputs.len(),
        });
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.add(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.add(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        if let Some(body) = &function.default {
            self.add(&function.sig, body);
        }
        visit::visit_trait_item_fn(self, function);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(path: &str, text: &str) -> usize {
        check(&Tree::of(&[(path, text)])).len()
    }

    fn function(lines: usize) -> String {
        format!("fn f() {{\n{}}}\n", "    x();\n".repeat(lines - 2))
    }

    #[test]
    fn a_file_of_600_lines_is_short_enough() {
        assert_eq!(count("crates/game/src/a.rs", &"// a\n".repeat(FILE_LINES_MAX)), 0);
        assert_eq!(count("crates/game/src/a.rs", &"// a\n".repeat(FILE_LINES_MAX + 1)), 1);
        assert_eq!(count("crates/game/tests/a.rs", &"// a\n".repeat(FILE_LINES_MAX + 1)), 0);
    }

    #[test]
    fn a_function_of_70_lines_is_short_enough() {
        let (short, long) = (function(FUNCTION_LINES_MAX), function(FUNCTION_LINES_MAX + 1));
        assert_eq!(count("a.rs", &short), 0);
        assert_eq!(count("a.rs", &long), 1);
        assert_eq!(count("a.rs", &format!("impl A {{ {long} }} trait B {{ {long} fn g(); }} mod c {{ {long} }}")), 3);
        assert_eq!(count("a.rs", &format!("#[cfg(test)] mod tests {{ {long} }}")), 0);
    }

    #[test]
    fn a_function_with_five_parameters_has_few_enough() {
        assert_eq!(count("a.rs", "fn f(a: u8, b: u8, c: u8, d: u8, e: u8) {}"), 0);
        assert_eq!(count("a.rs", "impl A { fn f(&self, b: u8, c: u8, d: u8, e: u8, f: u8) {} }"), 1);
        assert_eq!(count("tests/a.rs", "fn f(a: u8, b: u8, c: u8, d: u8, e: u8, f: u8) {}"), 0);
    }
}
