"""Steps put into a parsed template, so that everything that repeats is counted; and what the template expects."""

from __future__ import annotations

from jinja2 import nodes
from jinja2.environment import Environment
from jinja2.visitor import NodeTransformer


def instrument(tree: nodes.Template, environment: Environment) -> None:
    """Rewrites `tree` in place: loops, comparisons and slices cost a step, `~` and literals are checked for size.

    What is printed as it stands costs a step, too, so that it keeps its line (jinja2 would join it to its neighbours).
    """
    _Instrument().visit(tree)
    tree.set_environment(environment)


def iterates_content(tree: nodes.Template) -> bool:
    """Whether the template loops over a message's content, so that it takes lists of blocks as they are.

    The same question as vLLM's `--chat-template-content-format auto`; otherwise text blocks are joined to a string.
    """
    names = {"content"}
    for assign in tree.find_all(nodes.Assign):
        if isinstance(assign.target, nodes.Name) and _is_content(assign.node, names):
            names.add(assign.target.name)
    return any(_is_content(loop.iter, names) for loop in tree.find_all(nodes.For))


def _is_content(node: nodes.Node | None, names: set[str]) -> bool:
    while isinstance(node, nodes.Filter):
        node = node.node
    if isinstance(node, nodes.Name):
        return node.name in names
    if isinstance(node, nodes.Getattr):
        return node.attr == "content"
    return isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Const) and node.arg.value == "content"


def _call(method: str, arguments: list[nodes.Expr], line: int) -> nodes.Call:
    call = nodes.Call(nodes.EnvironmentAttribute(method), arguments, [], None, None)
    call.set_lineno(line, override=True)
    return call


class _Instrument(NodeTransformer):
    def visit_For(self, node: nodes.For) -> nodes.Node:
        self.generic_visit(node)
        node.body.insert(0, nodes.ExprStmt(_call("charge", [], node.lineno), lineno=node.lineno))
        if node.test is not None:
            node.test = nodes.And(_call("charge", [], node.lineno), node.test, lineno=node.lineno)
        return node

    def visit_Output(self, node: nodes.Output) -> nodes.Node:
        self.generic_visit(node)
        node.nodes = [self._printed(child) for child in node.nodes]
        return node

    def _printed(self, child: nodes.Expr) -> nodes.Expr:
        if isinstance(child, nodes.TemplateData):
            return _call("charge", [nodes.Const(child.data, lineno=child.lineno)], child.lineno)
        return _call("charge", [child], child.lineno) if isinstance(child, nodes.Const) else child

    def visit_Compare(self, node: nodes.Compare) -> nodes.Node:
        self.generic_visit(node)
        return nodes.And(_call("charge", [], node.lineno), node, lineno=node.lineno)

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Node:
        self.generic_visit(node)
        if isinstance(node.arg, nodes.Slice):
            node.node = _call("charge", [node.node], node.lineno)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:
        self.generic_visit(node)
        return _call("join_text", node.nodes, node.lineno)

    def visit_List(self, node: nodes.List) -> nodes.Node:
        return self._literal(node, all(isinstance(item, nodes.Const) for item in node.items))

    def visit_Tuple(self, node: nodes.Tuple) -> nodes.Node:
        return self._literal(node, node.ctx != "load" or all(isinstance(item, nodes.Const) for item in node.items))

    def visit_Dict(self, node: nodes.Dict) -> nodes.Node:
        return self._literal(node, all(isinstance(item.value, nodes.Const) for item in node.items))

    def _literal(self, node: nodes.Expr, constant: bool) -> nodes.Node:
        self.generic_visit(node)
        return node if constant else _call("weighed", [node], node.lineno)
