"""Text of files is data: names that try to steer a terminal, a shell, a tool or a generated file."""

import os
import pty
import shutil
import subprocess
import unittest

from support import BITBAYES, CliTest

NAMES = [b"\x1b]0;title\x07\x1b[31mred", b"*/ int main(){} /*", b"back\\", b"??/", b"</script><b>",
         b"`rm -rf` $(id)", b"\xff\xfe", "\u202e\u009b1m".encode(), b"%n%s{}", b"endmodule", b"\rline",
         "e\u0301\U0001F600".encode() * 20]


def csv_cell(name):
    return b'"' + name.replace(b'"', b'""') + b'"'


def csv(names, rows=120):
    lines = [b"%d,%d,%s" % (row % len(names) * 3 + row % 2, -row % len(names), csv_cell(names[row % len(names)]))
             for row in range(rows)]
    return b"\n".join(lines) + b"\n"


class Hostile(CliTest):
    def plain(self, output):
        """Bytes that a terminal shows as they are, in lines of a bounded length."""
        text = output.decode("utf-8")  # strict
        self.assertNotRegex(text, "[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
        for line in text.splitlines():
            self.assertLess(len(line.encode()), 2500)
        return text

    def bytes_of(self, *arguments):
        return subprocess.run([BITBAYES, *map(str, arguments)], cwd=self.folder, timeout=60, capture_output=True)

    def names_model(self, names=tuple(NAMES)):
        self.write("names.csv", csv(names))
        self.succeed("train", "names.csv", "--epochs", 1, "--tree", 5, "-o", "names.bb", "-q",
                     "--force")

    def test_names_in_tables(self):
        self.names_model()
        self.succeed("pack", "names.bb", "-o", "names.bbn", "-q")
        for command in (["info", "names.bb"], ["info", "names.bbn"], ["eval", "names.bb", "names.csv"],
                        ["eval", "names.bbn", "names.csv"], ["pack", "names.bb", "-o", "more.bbn"]):
            done = self.bytes_of(*command)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.plain(done.stdout)
            self.plain(done.stderr)

    def test_results_keep_their_bytes_but_not_on_a_terminal(self):
        self.names_model()
        command = ["predict", "names.bb", "names.csv", "-q"]
        done = self.bytes_of(*command)
        self.assertIn(NAMES[0], done.stdout)
        main, terminal = pty.openpty()
        self.addCleanup(os.close, main)
        process = subprocess.Popen([BITBAYES, *command], cwd=self.folder, stdout=terminal)
        os.close(terminal)
        shown = b""
        while True:
            try:
                part = os.read(main, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            shown += part
        self.assertEqual(process.wait(60), 0)
        self.plain(shown.replace(b"\r\n", b"\n"))
        self.assertIn(b"\\x1b[31mred", shown)

    def test_a_label_of_megabytes(self):
        long = b"x" * 3_000_000
        self.write("one.csv", b"1,%s\n2,%s\n" % (long, long))
        done = self.bytes_of("train", "one.csv", "-q")
        self.assertEqual(done.returncode, 3)
        self.assertRegex(self.plain(done.stderr), r'only one class, "x{40}\.\.\."')
        self.names_model([long, b"b"])
        self.write("other.csv", b"1,2,c\n2,3,b\n")
        for command in (["eval", "names.bb", "other.csv", "-q"], ["info", "names.bb"]):
            done = self.bytes_of(*command)
            self.assertLess(len(done.stdout + done.stderr), 3000)
            self.plain(done.stdout + done.stderr)
        self.assertEqual(len(self.json("info", "names.bb")["class_names"][1]), len(long))

    def test_many_names_are_not_all_shown(self):
        self.names_model([b"class number %d" % k for k in range(90)])
        self.assertRegex(self.plain(self.bytes_of("info", "names.bb").stdout), r"90: class number 0 .* and \d+ more\n")

    def test_names_in_errors_and_notes(self):
        self.names_model()
        for content, arguments in (
                (b"1,2,\x1b[2Jnew\n3,4,\x1b[2Jnew\n", []),
                (b"1,\x1b[2Jnew\xff,red\n", []),
                (b"a\x1b[1m,b\xff,c\n1,2,3\n", ["--label", "d\x1b[1m"]),
                (b"a\x1b[1m,b\xff,c\n1,2,zzz\n", [])):
            self.write("bad.csv", content)
            done = self.bytes_of("eval", "names.bb", "bad.csv", *arguments)
            self.assertIn(done.returncode, (2, 3))
            self.plain(done.stdout)
            self.plain(done.stderr)

    def test_names_of_files(self):
        for name in ("a\x1b[31m\n.csv", b"\xff\xfe.csv", "/".join(["d" * 200] * 18) + "/x.csv"):
            for command in ("train", "info"):
                done = subprocess.run([BITBAYES, command, name], cwd=self.folder, timeout=60, capture_output=True)
                self.assertIn(done.returncode, (3, 6))
                text = self.plain(done.stderr)
                self.assertRegex(text, r"^bitbayes: error: .*(No such file|File name too long)[^\n]*\n$")

    def test_names_in_exports(self):
        self.names_model()
        self.succeed("pack", "names.bb", "-o", "names.bbn", "-q")
        self.succeed("export", "c", "names.bbn", "-o", "c", "-q", "--verify", "names.csv")
        self.succeed("export", "verilog", "names.bbn", "-o", "verilog", "-q", env={**os.environ, "PATH": self.folder})
        for folder in ("c", "verilog"):
            for path, _, files in os.walk(self.path(folder)):
                for file in files:
                    with open(os.path.join(path, file), "rb") as opened:
                        text = opened.read().decode("ascii")
                    self.assertNotIn("\x1b", text)
                    if file != "README.md":
                        self.assertNotIn("*/ int main", text.split("CLASS_NAMES")[0])
        if shutil.which("cc"):
            subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I.", "example/main.c",
                            "bitbayes_net.c", "-o", "main"], cwd=self.path("c"), check=True, timeout=60)
            said = subprocess.run(["./main"], cwd=self.path("c"), capture_output=True, timeout=60).stdout
            self.assertTrue(any(name in said for name in NAMES))

    def net(self):
        self.table("train.csv", classes=2, features=2)
        self.succeed("train", "train.csv", "--single", "--epochs", 1, "--preprocess", "center", "-o", "model.bb", "-q")
        self.succeed("pack", "model.bb", "-o", "net.bbn", "-q")

    def test_files_beside_an_export_reach_no_tool(self):
        self.net()
        os.mkdir(self.path("out"))
        for name in ("net_; exec -- touch pwned ;.v", "net_x.v", "-x.v", "net_$(touch pwned).v"):
            self.write("out/" + name, "nonsense (")
        for name in ("stdint.h", "stdio.h", "net.h"):
            self.write("out/" + name, "#error this is not the header\n")
        options = ("-o", "out", "--name", "net", "--force")
        report = self.json("export", "verilog", "net.bbn", *options)
        if shutil.which("yosys"):
            self.assertGreater(report["yosys"]["luts"], 0)
        if shutil.which("cc"):
            self.assertEqual(self.json("export", "c", "net.bbn", *options, "--verify", "train.csv")["differences"], 0)
        for path, _, files in os.walk(self.folder):
            self.assertNotIn("pwned", files, path)

    def test_folders_of_any_name(self):
        self.net()
        odd = self.path("t m;p'\"$(touch pwned)")
        os.mkdir(odd)
        for folder in ("a b", "; touch pwned", "'\"`$(touch pwned)", "-dash", "%s{}", "neue\nZeile", b"\xff"):
            name = folder if isinstance(folder, bytes) else folder.encode()
            done = subprocess.run([BITBAYES, "export", "c", "net.bbn", b"--output=" + name, "--verify", "train.csv"],
                                  cwd=self.folder, capture_output=True, timeout=60, env={**os.environ, "TMPDIR": odd})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(os.path.exists(os.path.join(self.folder.encode(), name, b"bitbayes_net.c")))
        self.succeed("export", "verilog", "net.bbn", "-o", "a b/v", "-q", env={**os.environ, "TMPDIR": odd})
        self.assertEqual(os.listdir(odd), [])
        self.assertFalse(os.path.exists(self.path("pwned")))

    def test_temporary_folders_that_cannot_be_used(self):
        self.net()
        self.write("file", "")
        for folder in ("/nonexistent/folder", self.path("file"), "/proc"):
            for language in ("c", "verilog"):
                extra = ("--verify", "train.csv") if language == "c" else ()
                self.fail_with(6, r"no temporary folder can be made in it: .*hint: .*TMPDIR", "export", language,
                               "net.bbn", "-o", "out", "--force", *extra, env={**os.environ, "TMPDIR": folder})


if __name__ == "__main__":
    unittest.main()
