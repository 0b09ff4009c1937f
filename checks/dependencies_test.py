#!/usr/bin/env python3
"""Every rule of checks/dependencies can fail."""
import runpy
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

rules = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("dependencies"))))


def crate(name, version="1.0.0", licence="MIT", rust=None):
    return {"id": f"{name} {version}", "name": name, "version": version, "license": licence, "rust_version": rust}


class Licences(unittest.TestCase):
    def wrong(self, licence):
        return list(rules.wrong_licences([crate("some", licence=licence)]))

    def test_permissive_ones_pass(self):
        for text in ["MIT", "MIT OR Apache-2.0", "Unlicense/MIT", "(MIT OR GPL-3.0-only) AND Unicode-3.0",
                     "Apache-2.0 WITH LLVM-exception OR GPL-2.0-only", "MIT OR Apache-2.0 OR LGPL-2.1-or-later"]:
            self.assertEqual(self.wrong(text), [], text)

    def test_others_are_named_with_their_crate(self):
        for text in ["GPL-3.0-only", "MIT AND GPL-3.0-only", "MPL-2.0 OR AGPL-3.0-only", "MIT WITH Odd-exception",
                     "(MIT OR Apache-2.0) AND SSPL-1.0"]:
            self.assertEqual(len(self.wrong(text)), 1, text)
            self.assertIn("some 1.0.0", self.wrong(text)[0])
            self.assertIn(text, self.wrong(text)[0])

    def test_and_binds_closer_than_or(self):
        self.assertEqual(self.wrong("MIT OR MIT AND GPL-3.0-only"), [])
        self.assertEqual(len(self.wrong("(MIT OR MIT) AND GPL-3.0-only")), 1)

    def test_none_and_nonsense_are_refused(self):
        for text in [None, "", "MIT OR", "(MIT", "MIT Apache-2.0", "MIT)"]:
            self.assertEqual(len(self.wrong(text)), 1, text)


class Versions(unittest.TestCase):
    def test_a_second_version_needs_a_reason(self):
        twice = [crate("rand", "0.8.0"), crate("rand", "0.9.0"), crate("csv")]
        self.assertIn("rand: 2 versions, 0.8.0, 0.9.0", list(rules.duplicates(twice, {}))[0])
        self.assertEqual(list(rules.duplicates(twice, {"rand": "why"})), [])

    def test_a_reason_that_is_no_longer_needed_goes(self):
        self.assertIn("rand: has one version now", list(rules.duplicates([crate("rand")], {"rand": "why"}))[0])

    def test_a_dependency_may_not_need_a_newer_rust(self):
        wrong = list(rules.too_new([crate("new", rust="1.92"), crate("old", rust="1.91.0"), crate("any")], "1.91"))
        self.assertEqual(wrong, ["new 1.0.0: needs Rust 1.92, the workspace promises 1.91"])
        self.assertEqual(len(list(rules.too_new([crate("patch", rust="1.91.1")], "1.91"))), 1)


class Graph(unittest.TestCase):
    def metadata(self, kind):
        return {
            "packages": [crate("ours"), crate("direct"), crate("far")],
            "workspace_members": ["ours 1.0.0"],
            "resolve": {"nodes": [
                {"id": "ours 1.0.0", "deps": [{"pkg": "direct 1.0.0", "dep_kinds": [{"kind": kind}]}]},
                {"id": "direct 1.0.0", "deps": [{"pkg": "far 1.0.0", "dep_kinds": [{"kind": None}]}]},
                {"id": "far 1.0.0", "deps": []},
            ]},
        }

    def test_what_only_tests_need_is_no_part_of_the_program(self):
        names = lambda kind: [package["name"] for package in rules.built(self.metadata(kind))]
        self.assertEqual((names(None), names("build"), names("dev")), (["direct", "far"], ["direct", "far"], []))


class Use(unittest.TestCase):
    def unused(self, files, deps):
        with tempfile.TemporaryDirectory() as folder:
            for name, code in files.items():
                path = Path(folder, name)
                path.parent.mkdir(exist_ok=True)
                path.write_text(code)
            package = crate("ours") | {"manifest_path": f"{folder}/Cargo.toml", "dependencies": [
                {"name": name, "kind": kind, "rename": rename} for name, kind, rename in deps]}
            return list(rules.unused({"packages": [package], "workspace_members": [package["id"]]}))

    def test_what_is_never_named_is_unused(self):
        code = {"src/lib.rs": "let bytes = 1; // bytes::Bytes\nself::x(bytes);"}
        self.assertEqual(self.unused(code, [("bytes", None, None)]), ["ours: declares bytes (normal) and never uses it"])

    def test_every_way_to_name_a_crate_counts(self):
        for code in ["use arrow_array::Array;", "#[derive(arrow_array::X)]", "::arrow_array::f()", "use arrow_array as a;",
                     "arrow_array\n    ::f()"]:
            self.assertEqual(self.unused({"src/lib.rs": code}, [("arrow-array", None, None)]), [], code)
        self.assertEqual(self.unused({"src/lib.rs": "short::f()"}, [("long", None, "short")]), [])

    def test_a_dependency_that_only_tests_name_belongs_to_the_tests(self):
        code = {"src/lib.rs": "", "tests/a.rs": "tempfile::tempdir()"}
        self.assertEqual(len(self.unused(code, [("tempfile", None, None)])), 1)
        self.assertEqual(self.unused(code, [("tempfile", "dev", None)]), [])

    def test_the_table_of_the_workspace_holds_nothing_that_no_crate_takes(self):
        workspace = {"workspace": {"dependencies": {"csv": "1", "criterion": "0.8", "libc": "1"}}}
        crates = [{"dependencies": {"csv": {"workspace": True}}},
                  {"target": {"cfg(unix)": {"dependencies": {"libc": {"workspace": True}}}}}]
        wrong = list(rules.not_inherited(workspace, crates))
        self.assertEqual(wrong, ["Cargo.toml: [workspace.dependencies] lists criterion, and no crate takes it"])


if __name__ == "__main__":
    unittest.main()
