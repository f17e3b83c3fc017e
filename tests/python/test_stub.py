"""_core.pyi says what the extension has: the same names, arguments and defaults."""

import ast
import inspect
import os
import re
import unittest
from pathlib import Path

from bitbayes import _core

STUB = Path(os.environ["BITBAYES_SOURCE"]) / "python/bitbayes/_core.pyi"
ANY = object()  # a default that the stub writes as "..."


def public(owner):
    """Names of a module or class; of special methods those that a class may or may not have."""
    return {name for name in vars(owner) if not name.startswith("_") or name in ("__len__", "__version__")}


def fields(node):
    return {line.target.id for line in node.body if isinstance(line, ast.AnnAssign)}


def functions(node):
    return {line.name: line for line in node.body if isinstance(line, ast.FunctionDef)}


def stub_signature(function):
    """[(name, default)] as the stub has them, without self; inspect.Parameter.empty: none."""
    arguments = function.args
    names = [argument.arg for argument in arguments.args]
    defaults = [ANY if isinstance(value, ast.Constant) and value.value is ... else ast.literal_eval(value)
                for value in arguments.defaults]
    defaults = [inspect.Parameter.empty] * (len(names) - len(defaults)) + defaults
    pairs = list(zip(names, defaults))
    if pairs and pairs[0][0] == "self":
        pairs = pairs[1:]
    return pairs + ([("**" + arguments.kwarg.arg, inspect.Parameter.empty)] if arguments.kwarg else [])


def bound_signature(function):
    """The same of a pybind11 function, whose docstring starts with name(argument: type = default, ...) -> type."""
    line = function.__doc__.split("\n")[0]
    inside = re.fullmatch(r"\w+\((.*)\) -> .*", line)[1]
    pairs = []
    for part in re.split(r", (?=\*{0,2}\w+(?:: |$))", inside) if inside else []:
        name, _, rest = part.partition(": ")
        default = rest.partition(" = ")[2]
        if name != "self":
            name = "**options" if name == "**kwargs" else name
            pairs.append((name, ast.literal_eval(default) if default else inspect.Parameter.empty))
    return pairs


class Stub(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tree = ast.parse(STUB.read_text())
        cls.classes = {node.name: node for node in cls.tree.body if isinstance(node, ast.ClassDef)}
        cls.namedtuples = {name for name, node in cls.classes.items() if "NamedTuple" in map(ast.unparse, node.bases)}

    def same_signature(self, stub, bound, where):
        mine, real = stub_signature(stub), bound_signature(bound)
        self.assertEqual([name for name, _ in mine], [name for name, _ in real], where)
        for (name, default), (_, actual) in zip(mine, real):
            if default is ANY:
                self.assertIsNot(actual, inspect.Parameter.empty, f"{where}: {name} has no default")
            else:
                self.assertEqual(default, actual, f"{where}: {name}")

    def test_module(self):
        in_stub = self.classes.keys() | functions(self.tree).keys() | fields(self.tree)
        self.assertEqual(in_stub, public(_core))
        for name, node in functions(self.tree).items():
            self.same_signature(node, getattr(_core, name), name)

    def test_named_tuples(self):
        self.assertEqual(self.namedtuples, {"Option", "Answers", "Layer"})
        for name in self.namedtuples:
            self.assertEqual(fields(self.classes[name]), set(getattr(_core, name)._fields), name)

    def test_classes(self):
        for name in self.classes.keys() - self.namedtuples - {"BitBayesError"}:
            node, owner = self.classes[name], getattr(_core, name)
            methods = functions(node)
            properties = fields(node) | {key for key, line in methods.items() if line.decorator_list
                                         and ast.unparse(line.decorator_list[0]) == "property"}
            real = {key for key in public(owner) if isinstance(inspect.getattr_static(owner, key), property)}
            self.assertEqual(properties, real, name)
            self.assertEqual(methods.keys() - properties - {"__init__"}, public(owner) - real, name)
            for key in methods.keys() - properties - {"__len__"}:
                self.same_signature(methods[key], getattr(owner, key), f"{name}.{key}")
                static = [ast.unparse(line) for line in methods[key].decorator_list] == ["staticmethod"]
                self.assertEqual(static, isinstance(inspect.getattr_static(owner, key), staticmethod), f"{name}.{key}")

    def test_errors(self):
        self.assertTrue(issubclass(_core.BitBayesError, ValueError))
        with self.assertRaises(_core.BitBayesError) as caught:
            _core.Model.from_bytes(b"no model")
        self.assertIsInstance(caught.exception.exit_code, int)


if __name__ == "__main__":
    unittest.main()
