"""The example notebook runs from top to bottom, shows the model and draws its pictures.

With BITBAYES_PICTURES=FOLDER the pictures and tables are kept there, to be looked at.
"""

import base64
import os
import pathlib
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["BITBAYES_SOURCE"])
NOTEBOOK = SOURCE / "examples" / "python" / "tour.ipynb"

try:
    import ipykernel  # noqa: F401
    import matplotlib  # noqa: F401
    import nbformat
    from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
    from jupyter_client.manager import KernelManager
    from nbconvert.preprocessors import ExecutePreprocessor
    MISSING = None
except ImportError as error:
    MISSING = f"{error}; apt-get install python3-nbconvert python3-ipykernel python3-matplotlib"
    print(f"test_notebook: skipped: {MISSING}", file=sys.stderr)


def kernel():
    """This interpreter, whatever kernels are installed."""
    class ThisPython(KernelSpecManager):
        def get_kernel_spec(self, name):
            # Without frozen modules, about which debugpy would warn.
            argv = [sys.executable, "-B", "-Xfrozen_modules=off", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
            return KernelSpec(argv=argv, display_name=name, language="python")

    return KernelManager(kernel_name="python3", kernel_spec_manager=ThisPython())


@unittest.skipIf(MISSING, MISSING)
class Notebook(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stored = nbformat.read(NOTEBOOK, as_version=4)
        cls.notebook = nbformat.read(NOTEBOOK, as_version=4)
        with tempfile.TemporaryDirectory(prefix="bitbayes_notebook_") as folder:
            os.environ["IPYTHONDIR"] = folder
            manager = kernel()
            try:
                ExecutePreprocessor(timeout=50).preprocess(cls.notebook, {"metadata": {"path": folder}}, km=manager)
            finally:
                manager.shutdown_kernel(now=True)
        cls.outputs = [output for cell in cls.notebook.cells if cell.cell_type == "code" for output in cell.outputs]
        if "BITBAYES_PICTURES" in os.environ:
            for k, output in enumerate(cls.outputs):
                for kind, ending in (("image/png", "png"), ("text/html", "html"), ("text/plain", "txt")):
                    if kind in output.get("data", {}):
                        content = output.data[kind]
                        path = pathlib.Path(os.environ["BITBAYES_PICTURES"], f"{k:02}.{ending}")
                        path.write_bytes(base64.b64decode(content) if ending == "png" else content.encode())

    def data(self, kind):
        return [output.data[kind] for output in self.outputs if kind in output.get("data", {})]

    def printed(self):
        return "".join(output.text for output in self.outputs if output.output_type == "stream")

    def test_is_stored_without_outputs(self):
        for cell in self.stored.cells:
            if cell.cell_type == "code":
                self.assertEqual((cell.outputs, cell.execution_count), ([], None))

    def test_pictures(self):
        pictures = [base64.b64decode(picture) for picture in self.data("image/png")]
        self.assertEqual(len(pictures), 5)
        for picture in pictures:
            self.assertTrue(picture.startswith(b"\x89PNG"))
            self.assertGreater(len(picture), 4000)

    def test_model_is_a_table_with_bars(self):
        tables = [text for text in self.data("text/html") if "<svg" in text]
        self.assertEqual(len(tables), 1)
        self.assertEqual(tables[0].count("<svg"), 2)  # one per layer

    def test_results(self):
        scores = [float(text) for text in self.data("text/plain") if text.startswith("0.")]
        self.assertEqual(len(scores), 2)  # the Bayes average and the clipped network
        for score in scores:
            self.assertGreater(score, 0.94)
        self.assertIn("digits.c\n", self.printed())
        self.assertNotIn("Warning", self.printed())


if __name__ == "__main__":
    unittest.main()
