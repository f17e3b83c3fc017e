"""Tables of models in notebooks, and plots."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from unittest import mock

import numpy as np

from bitbayes import BitBayesClassifier, Model, PackedNetwork, Trainer, display, plot_history, plot_reliability, \
    plot_weights

try:
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError:
    matplotlib = None
    print("test_display: tests of plots are skipped: there is no matplotlib", file=sys.stderr)

needs_matplotlib = unittest.skipIf(matplotlib is None, "there is no matplotlib")


def rows(count=300, features=16, classes=3, seed=1):
    """Class means with noise, as whole numbers from 0 to 255."""
    random = np.random.default_rng(seed)
    labels = random.integers(classes, size=count).astype(np.uint32)
    means = np.random.default_rng(0).integers(60, 196, size=(classes, features))
    X = means[labels] + random.normal(0, 40, size=(count, features))
    return X.clip(0, 255).astype(np.uint8), labels


def trained(class_names=("a", "b", "c"), **options):
    X, labels = rows()
    trainer = Trainer(X, labels, list(class_names),
                      options={"tree": [5], "epochs": 3, "evidence": 1, "preprocess": "center", **options},
                      test=rows(seed=2))
    trainer.run()
    return trainer


class Html(unittest.TestCase):
    def parts(self, text):
        """The table as rows of text, and everything else as text. The HTML is XML as well."""
        root = ElementTree.fromstring(text)
        table = [["".join(cell.itertext()) for cell in row] for row in root.iter("tr")]
        return root, table, "".join(root.itertext())

    def test_layers_and_facts(self):
        model = trained().model()
        _, table, text = self.parts(model._repr_html_())
        self.assertEqual([row[:3] for row in table[1:]],
                         [["1, all inputs", "15 × 17", "255"], ["2, trees on layer 1", "3 × 5", "15"]])
        for fact in ("clipped network 270 bits", "features 16", "classes 3: a, b, c", "samples seen 900",
                     "algorithm mfb", "bitbayes model"):
            self.assertIn(fact, text)
        self.assertNotIn("memory", text)
        model.memory = 1000
        self.assertIn("memory 1,000 rows", self.parts(model._repr_html_())[2])
        self.assertIn("reads all", self.parts(display.model_html(model, "one that reads all"))[2])

    def test_dense_layers(self):
        _, table, _ = self.parts(trained(tree=[], dense=[6, 4]).model()._repr_html_())
        self.assertEqual([row[:2] for row in table[1:]], [
            ["1, all inputs", "6 × 17"], ["2, all of layer 1", "4 × 7"], ["3, all of layer 2", "3 × 5"]])

    def test_certainty_is_that_of_info(self):
        model = trained().model()
        with tempfile.TemporaryDirectory() as folder:
            model.save(os.path.join(folder, "m.bb"))
            info = json.loads(subprocess.run([os.environ["BITBAYES"], "info", "--json", "m.bb"], cwd=folder, check=True,
                                             stdout=subprocess.PIPE).stdout)
        _, table, _ = self.parts(model._repr_html_())
        self.assertEqual([row[4] for row in table[1:]], [f"{layer['certainty']:.0%}" for layer in info["layers"]])

    def test_bars(self):
        root, _, _ = self.parts(trained().model()._repr_html_())
        self.assertEqual(len(list(root.iter("{http://www.w3.org/2000/svg}svg"))), 2)
        h = np.arctanh(np.array([0.05, 0.05, 0.55, -0.55, 0.95, -0.95, 0.95, -0.95], np.float32))
        with mock.patch.object(display, "_BLOCK", 3):  # the blocks of large layers
            counts, mean = display._certainty(h.reshape(2, 4))
        self.assertEqual(list(counts), [2, 0, 0, 0, 0, 2, 0, 0, 0, 4])
        self.assertAlmostEqual(mean, 0.625, places=6)
        bars = list(ElementTree.fromstring(display._bars(counts, "x")).iter("{http://www.w3.org/2000/svg}rect"))
        heights = [float(bar.get("height")) for bar in bars]
        self.assertEqual(len(heights), 3)
        self.assertAlmostEqual(heights[0], heights[2] / 2, delta=0.06)
        self.assertIn("0.5 to 0.6: 25.0% of the weights", "".join(bars[1].itertext()))

    def test_names_are_text(self):
        names = ["<script>1</script>", "a\x1b[31m&", "x" * 1000]
        text = trained(names).model()._repr_html_()
        self.assertNotIn("<script", text)
        self.assertNotIn("\x1b", text)
        self.assertNotIn("x" * 30, text)
        self.assertIn("3: <script>1</script>, a\N{REPLACEMENT CHARACTER}[31m&, xxx", self.parts(text)[2])

    def test_many_classes_are_cut(self):
        self.assertEqual(display._names([str(k) for k in range(1200)], shown=3), "1,200: 0, 1, 2, …")

    def test_backprop_has_no_certainty(self):
        X, labels = rows()
        trainer = Trainer(X, labels, ["a", "b", "c"], options={"algorithm": "backprop", "tree": [5], "epochs": 1})
        trainer.run()
        _, table, text = self.parts(trainer.model()._repr_html_())
        self.assertEqual([row[3:] for row in table[1:]], [["-", "-"]] * 2)
        self.assertIn("algorithm backprop", text)

    def test_packed_network(self):
        network = PackedNetwork(trained().model())
        _, _, text = self.parts(network._repr_html_())
        for fact in ("features 16", "classes 3: a, b, c", f"bytes of the file {len(network.to_bytes()):,}"):
            self.assertIn(fact, text)

    def test_classifier(self):
        X, labels = rows()
        classifier = BitBayesClassifier(architecture="tree", hidden_layers=(5,), epochs=1, evidence=1)
        classifier.fit(X, labels)
        self.assertIn("<svg", display.model_html(classifier))
        self.assertIn("<svg", classifier._repr_html_())


@needs_matplotlib
class Plots(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        X, labels = rows()
        cls.labels = np.array(["a", "b", "c"])[labels]
        cls.X = X
        cls.classifier = BitBayesClassifier(architecture="tree", hidden_layers=(5,), epochs=3, evidence=1,
                                            preprocess="center").fit(X, cls.labels)

    def tearDown(self):
        plt.close("all")

    def test_reliability(self):
        X, labels = rows(seed=2)
        y = np.array(["a", "b", "c"])[labels]
        points = display.reliability(self.classifier, X, y)
        self.assertAlmostEqual(points["ece"], self.classifier.model_.evaluate(X, labels, ["a", "b", "c"])["ece"],
                               places=9)
        self.assertEqual(points["rows"].sum(), len(X))
        self.assertTrue(np.all(np.diff(points["confidence"]) > 0))
        ax = plot_reliability(self.classifier, X, y)
        self.assertIn(f"ECE {points['ece']:.2%} of 300 rows", ax.get_title())
        np.testing.assert_allclose(ax.collections[1].get_offsets(),
                                   np.column_stack([points["confidence"], points["accuracy"]]))
        ax.figure.canvas.draw()

    def test_reliability_by_hand(self):
        class Half:
            classes_ = np.array(["no", "yes"])

            def predict_proba(self, X):
                return np.array([[0.5, 0.5], [0.4, 0.6], [0.1, 0.9], [0, 1]])

        points = display.reliability(Half(), None, ["no", "no", "yes", "yes"], bins=2)
        self.assertEqual(points["rows"].tolist(), [4])  # 0.5 belongs to the upper bin
        self.assertAlmostEqual(points["confidence"][0], 0.75)
        self.assertAlmostEqual(points["accuracy"][0], 0.75)
        self.assertAlmostEqual(points["ece"], 0)

    def test_interval(self):
        low, high = display._wilson(np.array([0.5, 1.0, 0.0]), np.array([100, 10, 10]))
        np.testing.assert_allclose(low, [0.4038, 0.7225, 0], atol=1e-4)
        np.testing.assert_allclose(high, [0.5962, 1, 0.2775], atol=1e-4)

    def test_history(self):
        trainer = trained()
        ax = plot_history(trainer)
        self.assertEqual(len(ax.lines), 3)  # progressive, mean and clipped
        np.testing.assert_allclose(ax.lines[0].get_ydata(),
                                   [100 * report["error_progressive"] for report in trainer.history])
        self.assertEqual(list(ax.lines[0].get_xdata()), [1, 2, 3])
        self.assertEqual(len(plot_history(self.classifier).lines), 1)
        self.assertEqual(len(plot_history(self.classifier.history_).lines), 1)
        with self.assertRaisesRegex(ValueError, "no history"):
            plot_history([])

    def test_axes_that_are_given(self):
        figure, axes = plt.subplots(1, 2)
        self.assertIs(plot_history(self.classifier, ax=axes[0]), axes[0])
        self.assertIs(plot_reliability(self.classifier, self.X, self.labels, ax=axes[1]), axes[1])
        other = plt.figure()
        self.assertIs(plot_weights(self.classifier, figure=other), other)
        self.assertEqual(plt.get_fignums(), [figure.number, other.number])

    def test_weights_as_images(self):
        figure = plot_weights(self.classifier, image_shape=(4, 4), count=5)
        images = [ax.images[0] for ax in figure.axes if ax.images and ax.get_title()]
        self.assertEqual([image.axes.get_title() for image in images], ["0", "3", "6", "9", "12"])
        means = np.tanh(self.classifier.model_.posterior(0).h)
        np.testing.assert_array_equal(images[1].get_array(), means[3, :16].reshape(4, 4))
        self.assertEqual(images[0].get_clim(), (-1, 1))
        figure.canvas.draw()
        with self.assertRaisesRegex(ValueError, "17 inputs.*no image of 5 x 5"):
            plot_weights(self.classifier, image_shape=(5, 5))

    def test_weights_as_lines(self):
        for what in (self.classifier, self.classifier.model_):
            image = plot_weights(what).axes[0].images[0]
            self.assertEqual(image.get_array().shape, (15, 17))
        self.assertEqual(plot_weights(self.classifier, layer=1).axes[0].images[0].get_array().shape, (3, 5))

    def test_without_matplotlib(self):
        with mock.patch.dict(sys.modules, {"matplotlib.pyplot": None}):
            for draw in (lambda: plot_history(self.classifier), lambda: plot_weights(self.classifier),
                         lambda: plot_reliability(self.classifier, self.X, self.labels)):
                with self.assertRaisesRegex(ImportError, "pip install matplotlib"):
                    draw()
            self.assertIn("<svg", Model.from_bytes(self.classifier.model_.to_bytes())._repr_html_())


class Import(unittest.TestCase):
    def test_matplotlib_is_not_imported(self):
        code = "import sys, bitbayes; bitbayes.plot_history; sys.exit('matplotlib' in sys.modules)"
        subprocess.run([sys.executable, "-B", "-c", code], check=True)


if __name__ == "__main__":
    unittest.main()
