"""TypeScript and JavaScript in the small form; one grammar reads both."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from promptlint.readers.code import ir
from promptlint.readers.code.javascript_exprs import JavaScriptExpressions
from promptlint.readers.code.record import replace
from promptlint.readers.code.tree import grammar, parsed, span

# Only plain TypeScript may write `<Type>value`, which is an element in the other dialects.
_PLAIN = (".ts", ".mts", ".cts")
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "function", "generator_function"})


def read(data: bytes, suffix: str) -> ir.Module:
    dialect = "language_typescript" if suffix in _PLAIN else "language_tsx"
    return JavaScript(data).module("javascript", parsed(grammar("tree_sitter_typescript", dialect), data))


class JavaScript(JavaScriptExpressions):
    def s_function_declaration(self, node: Node) -> Iterator[ir.Stmt]:
        function = self._function(node, self.text(node.child_by_field_name("name")))
        if self._is_top(node):
            self.functions.setdefault(function.name, function)
        yield ir.Define(span(node), function)

    s_generator_function_declaration = s_function_declaration

    def _is_top(self, node: Node) -> bool:
        """Whether a definition stands at the top of the file or of a namespace."""
        parent = node.parent
        if parent is not None and parent.type == "export_statement":
            parent = parent.parent
        if parent is not None and parent.type == "statement_block":
            return parent.parent is not None and parent.parent.type in ("internal_module", "module")
        return parent is not None and parent.type == "program"

    def s_class_declaration(self, node: Node) -> Iterator[ir.Stmt]:
        name = self.text(node.child_by_field_name("name"))
        fields: dict[str, tuple[str, ir.Span]] = {}
        methods: dict[str, ir.Function] = {}
        defaults: dict[str, ir.Expr] = {}
        body = node.child_by_field_name("body")
        for child in body.named_children if body is not None else ():
            key = self._key(child.child_by_field_name("name") or child.child_by_field_name("property")) or ""
            value = child.child_by_field_name("value")
            if child.type == "method_definition":
                methods.setdefault(key, self._function(child, key, name))
            elif child.type in ("public_field_definition", "field_definition"):
                if value is not None and value.type in _FUNCTIONS:
                    methods.setdefault(key, self._function(value, key, name))
                elif value is not None:
                    defaults[key] = self.expr(value)
                declared = self.text(child.child_by_field_name("type")).removeprefix(":").strip()
                fields[key] = (declared, span(child))
        heritage = next((child for child in node.named_children if child.type == "class_heritage"), None)
        bases = tuple(self.text(heritage).removeprefix("extends").split()[:1]) if heritage is not None else ()
        self.classes[name] = ir.Class(name, span(node), fields, methods, bases, defaults)
        yield from ()

    s_abstract_class_declaration = s_class_declaration

    def s_interface_declaration(self, node: Node) -> Iterator[ir.Stmt]:
        name = self.text(node.child_by_field_name("name"))
        body = node.child_by_field_name("body")
        fields = {
            self._key(child.child_by_field_name("name")) or "": (
                self.text(child.child_by_field_name("type")).removeprefix(":").strip(),
                span(child),
            )
            for child in (body.named_children if body is not None else ())
            if child.type == "property_signature"
        }
        self.classes.setdefault(name, ir.Class(name, span(node), fields, {}))
        yield from ()

    def s_internal_module(self, node: Node) -> Iterator[ir.Stmt]:
        """A namespace: its functions are reached by its name, as a class's are."""
        name, outer = self.text(node.child_by_field_name("name")), self.functions
        self.functions = {}
        yield from self.block(node.child_by_field_name("body"))
        self.classes[name] = ir.Class(name, span(node), {}, self.functions)
        self.functions = {**self.functions, **outer}

    s_module = s_internal_module

    def s_type_alias_declaration(self, node: Node) -> Iterator[ir.Stmt]:
        yield from ()

    s_enum_declaration = s_ambient_declaration = s_throw_statement = s_comment = s_type_alias_declaration

    # Statements

    def s_expression_statement(self, node: Node) -> Iterator[ir.Stmt]:
        for child in node.named_children:
            yield from self._expression(child)

    def _expression(self, node: Node) -> Iterator[ir.Stmt]:
        if node.type in ("assignment_expression", "augmented_assignment_expression"):
            adds = node.type == "augmented_assignment_expression"
            yield ir.Assign(span(node), self.field(node, "left"), self.field(node, "right"), adds=adds)
        elif node.type == "update_expression":
            yield ir.Assign(span(node), self.field(node, "argument"), ir.Number(span(node)), adds=True)
        elif node.type in ("parenthesized_expression", "sequence_expression"):
            for child in node.named_children:
                yield from self._expression(child)
        elif node.type == "yield_expression":
            yield ir.Return(span(node), self._inner(node), yields=True)
        elif node.type != "comment":
            yield ir.Do(span(node), self.expr(node))

    def s_lexical_declaration(self, node: Node) -> Iterator[ir.Stmt]:
        for child in node.named_children:
            if child.type != "variable_declarator":
                continue
            value, target = child.child_by_field_name("value"), child.child_by_field_name("name")
            if value is not None and value.type in _FUNCTIONS and target is not None:
                function = replace(self._function(value, self.text(target)), span=span(child))
                if self._is_top(node):
                    self.functions.setdefault(function.name, function)
                yield ir.Define(span(child), function)
                continue
            declared = self.text(child.child_by_field_name("type")).removeprefix(":").strip()
            yield ir.Assign(span(node), self.expr(target), self.expr(value) if value is not None else None, declared)

    s_variable_declaration = s_lexical_declaration

    def s_return_statement(self, node: Node) -> Iterator[ir.Stmt]:
        if node.named_children:
            yield ir.Return(span(node), self.expr(node.named_children[0]))

    def s_if_statement(self, node: Node) -> Iterator[ir.Stmt]:
        arms = [self._arm(node.child_by_field_name("consequence"))]
        otherwise = node.child_by_field_name("alternative")
        if otherwise is not None:
            arms.append(self._arm(otherwise))
        yield ir.Branch(span(node), tuple(arms), exhaustive=otherwise is not None)

    def _arm(self, node: Node | None) -> tuple[ir.Stmt, ...]:
        """A block, or the one statement that stands in its place."""
        if node is None:
            return ()
        return self.block(node) if node.type in ("statement_block", "else_clause") else tuple(self.statement(node))

    def s_for_in_statement(self, node: Node) -> Iterator[ir.Stmt]:
        body = self._arm(node.child_by_field_name("body"))
        yield ir.Loop(span(node), self.field(node, "left"), self.field(node, "right"), body)

    def s_for_statement(self, node: Node) -> Iterator[ir.Stmt]:
        first = node.child_by_field_name("initializer")
        declared = first.named_children[0] if first is not None and first.named_children else None
        name = declared.child_by_field_name("name") if declared is not None else None
        body = self._arm(node.child_by_field_name("body"))
        if name is None:
            yield ir.Loop(span(node), None, None, body)
        else:
            yield ir.Loop(span(node), self.expr(name), ir.counting(span(name)), body)

    def s_while_statement(self, node: Node) -> Iterator[ir.Stmt]:
        yield ir.Loop(span(node), None, None, self._arm(node.child_by_field_name("body")))

    s_do_statement = s_while_statement

    def s_try_statement(self, node: Node) -> Iterator[ir.Stmt]:
        yield from self.block(node.child_by_field_name("body"))
        handler = node.child_by_field_name("handler")
        if handler is not None:
            yield ir.Branch(span(node), (self.block(handler.child_by_field_name("body")),))
        yield from self.block(node.child_by_field_name("finalizer"))

    def s_switch_statement(self, node: Node) -> Iterator[ir.Stmt]:
        body = node.child_by_field_name("body")
        arms = tuple(
            tuple(stmt for child in case.children_by_field_name("body") for stmt in self.statement(child))
            for case in (body.named_children if body is not None else ())
        )
        yield ir.Branch(span(node), arms)

    def s_import_statement(self, node: Node) -> Iterator[ir.Stmt]:
        module = self.text(node.child_by_field_name("source")).strip("\"'")
        for clause in node.named_children:
            for child in clause.named_children if clause.type == "import_clause" else ():
                if child.type == "identifier":
                    self.imports[self.text(child)] = ir.Import(module, "default")
                elif child.type == "namespace_import":
                    self.imports[self.text(child.named_children[-1])] = ir.Import(module, None)
                for item in child.named_children if child.type == "named_imports" else ():
                    name = self.text(item.child_by_field_name("name"))
                    alias = item.child_by_field_name("alias")
                    self.imports[self.text(alias) if alias is not None else name] = ir.Import(module, name)
        yield from ()

    def s_export_statement(self, node: Node) -> Iterator[ir.Stmt]:
        for child in node.named_children:
            if child.type in self._statements:
                yield from self.statement(child)
            elif child.type in _FUNCTIONS:
                function = self._function(child, "default")
                self.functions.setdefault("default", function)
                yield ir.Define(span(child), function)
            elif child.type in self._expressions and child.type != "string":
                yield ir.Assign(span(child), ir.Name(span(child), "default"), self.expr(child))
