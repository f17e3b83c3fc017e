"""read, train, Table, Model and PackedNetwork as functions of their own, without scikit-learn."""

import copy
import pickle
import subprocess
import sys
import threading
import unittest

import numpy as np
from scipy import sparse

import bitbayes
from bitbayes import Model, PackedNetwork, Trainer, train
from support import FolderTest, blobs

OPTIONS = {"tree": [11], "epochs": 2, "evidence": 1, "polish": 1}


class Package(unittest.TestCase):
    def test_names(self):
        for name in ["BitBayesClassifier", "BitBayesError", "ClippedClassifier", "Model", "PackedNetwork", "Table",
                     "Trainer", "__version__", "export_c", "export_verilog", "options", "plot_history",
                     "plot_reliability", "plot_weights", "read", "train"]:
            self.assertIn(name, bitbayes.__all__)
            self.assertIn(name, dir(bitbayes))
            self.assertTrue(hasattr(bitbayes, name), name)
        with self.assertRaisesRegex(AttributeError, "nonsense"):
            bitbayes.nonsense
        self.assertTrue(issubclass(bitbayes.BitBayesError, ValueError))

    def test_import_needs_numpy_alone(self):
        program = ("import sys, bitbayes; bitbayes.train([[0.0, 1], [1, 0]] * 9, [0, 1] * 9, tree=3, epochs=1)\n"
                   "print([name for name in ('sklearn', 'scipy', 'pandas', 'matplotlib') if name in sys.modules])")
        done = subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, text=True)
        self.assertEqual((done.stdout, done.stderr), ("[]\n", ""))


class Tables(FolderTest):
    def test_csv(self):
        self.write("t.csv", "name,size,owner,w,kind\nann,1.5,x,2,yes\nbob,2.5,y,1,no\ncid,?,x,1,yes\n")
        table = bitbayes.read(self.path("t.csv"), id="name", group="owner", row_weight="w")
        self.assertEqual(table.ids, ["ann", "bob", "cid"])
        self.assertEqual(table.feature_names, ["size"])
        self.assertEqual(table.class_names, ["no", "yes"])
        self.assertEqual(table.y.tolist(), ["yes", "no", "yes"])
        self.assertEqual(table.sample_weight.tolist(), [2, 1, 1])
        self.assertEqual(table.groups[0], table.groups[2])
        np.testing.assert_array_equal(table.X, [[1.5], [2.5], [np.nan]])
        self.assertEqual((len(table), table.image_shape), (3, None))
        self.assertRegex(repr(table), "3 rows, 1 features, 2 classes")
        with self.assertRaises(ValueError):
            table.X[0, 0] = 3

    def test_labels(self):
        for words, expected in [(["3", "-1", "3"], [3, -1, 3]), (["3", "x", "3"], ["3", "x", "3"]),
                                (["0.5", "1", "1"], ["0.5", "1", "1"])]:
            self.write("t.csv", "".join(f"{row}.5,{word}\n" for row, word in enumerate(words)))
            self.assertEqual(bitbayes.read(self.path("t.csv")).y.tolist(), expected)

    def test_splits(self):
        train_rows, test_rows = bitbayes.read("teacher:5"), bitbayes.read("teacher:5:test")
        self.assertFalse(np.array_equal(train_rows.X[:50], test_rows.X[:50]))
        np.testing.assert_array_equal(bitbayes.read("teacher:5:train#10:20").X, train_rows.X[10:20])

    def test_sparse(self):
        self.write("t.libsvm", "1 2:0.5 9:3\n0 1:1\n1 2:2\n")
        table = bitbayes.read(self.path("t.libsvm"))
        self.assertTrue(sparse.isspmatrix_csr(table.X))
        expected = np.zeros((3, 9))
        expected[[0, 0, 1, 2], [1, 8, 0, 1]] = [0.5, 3, 1, 2]
        np.testing.assert_array_equal(table.X.toarray(), expected)


class Train(unittest.TestCase):
    def test_result(self):
        X, y = blobs()
        result = train(X[:200], y[:200], test=(X[200:], y[200:]), feature_names=list("abcde"), **OPTIONS)
        self.assertEqual(result.model.class_names, ["0", "1", "2"])
        self.assertEqual(result.model.column_names, list("abcde"))
        self.assertEqual([epoch["epoch"] for epoch in result.history], [1, 2])
        self.assertEqual(result.options["tree"], [11])
        self.assertEqual(result.trials, [])
        self.assertLess(result.test["error_mean"], 0.3)
        self.assertEqual(result.error_progressive, result.history[0]["error_progressive"])
        self.assertGreater(result.seconds, 0)
        self.assertGreater(result.seconds_polish, 0)
        self.assertIsNone(train(X, y, **OPTIONS).test)

    def test_evidence_is_found(self):
        X, y = blobs()
        result = train(X, y, tree=[5], epochs=1)
        self.assertIn(result.options["evidence"], [evidence for evidence, _ in result.trials])
        self.assertGreater(result.seconds_auto, 0)

    def test_class_weight(self):
        X, y = blobs()
        by_dict = train(X, y, class_weight={2: 4}, **OPTIONS).model.to_bytes()
        self.assertEqual(by_dict, train(X, y, sample_weight=np.where(y == 2, 4, 1), **OPTIONS).model.to_bytes())
        self.assertNotEqual(by_dict, train(X, y, **OPTIONS).model.to_bytes())


class Models(FolderTest):
    def setUp(self):
        super().setUp()
        self.X, self.y = blobs()
        self.names = ["0", "1", "2"]
        self.model = train(self.X, self.y, **OPTIONS).model

    def test_answers(self):
        answers = self.model.predict(self.X)
        probabilities = self.model.probabilities(self.X)
        np.testing.assert_array_equal(answers.class_index, probabilities.argmax(axis=1))
        np.testing.assert_array_equal(answers.probability, probabilities.max(axis=1))
        self.assertTrue(answers.known.all())
        self.assertTrue(np.isnan(self.model.predict(self.X, mode="map").probability).all())
        report = self.model.evaluate(self.X, self.y, self.names)
        self.assertAlmostEqual(report["error_mean"], np.mean(answers.class_index != self.y))
        self.assertEqual(report["confusion"].sum(), 300)
        clipped = self.model.evaluate_clipped(self.X, self.y, self.names)
        self.assertAlmostEqual(clipped["error_map"], report["error_map"])

    def test_labels_by_name(self):
        turned = self.model.evaluate(self.X, 2 - self.y, ["2", "1", "0"])
        self.assertEqual(turned["error_mean"], self.model.evaluate(self.X, self.y)["error_mean"])

    def test_posterior(self):
        layers = [self.model.posterior(index) for index in range(self.model.layers)]
        self.assertEqual([layer.h.dtype for layer in layers], [np.float32] * len(layers))
        self.assertEqual(layers[0].h.shape[0], 33)
        with self.assertRaises(ValueError):
            layers[0].h[0, 0] = 1
        before = layers[0].h.copy()
        self.model.update(self.X, self.y)
        np.testing.assert_array_equal(layers[0].h, before)
        self.assertFalse(np.array_equal(self.model.posterior(0).h, before))
        self.assertAlmostEqual(self.model.column_importance().sum(), 1)

    def test_learning_on(self):
        twin = self.model.clone()
        report = self.model.update(self.X[:20], self.y[:20], self.names)
        self.assertEqual(report["rows"], 20)
        expected = twin.predict(self.X[:1]).class_index[0]
        answers = [twin.learn(row, self.names[label]) for row, label in zip(self.X[:20], self.y[:20])]
        self.assertEqual(answers[0][0], expected)
        self.assertEqual(self.model.to_bytes(), twin.to_bytes())
        self.assertEqual(self.model.samples_seen, 620)
        self.model.add_class("3")
        self.assertEqual(self.model.class_names, [*self.names, "3"])
        self.assertIsNone(self.model.memory)
        self.model.memory = 500
        self.assertEqual(Model.from_bytes(self.model.to_bytes()).memory, 500)

    def test_text(self):
        rows, columns = self.X.shape
        self.assertEqual(repr(self.model),
                         f"<bitbayes.Model: {columns} columns, 2 layers, 3 classes, {2 * rows} rows learned>")
        self.assertEqual(repr(PackedNetwork(self.model)), f"<bitbayes.PackedNetwork: {columns} columns, 3 classes>")

    def test_messages_say_overwrite(self):
        self.model.save(self.path("m.bb"))
        with self.assertRaisesRegex(OSError, "`overwrite` replaces it"):
            self.model.save(self.path("m.bb"))

    def test_copies(self):
        data = self.model.to_bytes()
        self.model.save(self.path("m.bb"))
        self.assertEqual(self.read("m.bb"), data)
        for twin in [self.model.clone(), copy.copy(self.model), copy.deepcopy(self.model),
                     pickle.loads(pickle.dumps(self.model)), Model.load(self.path("m.bb"))]:
            self.assertEqual(twin.to_bytes(), data)
            twin.update(self.X, self.y)
            self.assertEqual(self.model.to_bytes(), data)

    def test_many_threads_at_once(self):
        expected, wrong = self.model.probabilities(self.X), []

        def ask():
            for _ in range(20):
                wrong.append(not np.array_equal(self.model.probabilities(self.X), expected))

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((len(wrong), sum(wrong)), (80, 0))

    def test_packed(self):
        network = PackedNetwork(self.model)
        answers = network.predict(self.X)
        np.testing.assert_array_equal(answers.class_index, self.model.predict(self.X, mode="map").class_index)
        np.testing.assert_array_equal(network.scores(self.X).argmax(axis=1), answers.class_index)
        network.save(self.path("net.bbn"))
        for twin in [PackedNetwork.load(self.path("net.bbn")), pickle.loads(pickle.dumps(network)),
                     copy.deepcopy(network)]:
            self.assertEqual(twin.to_bytes(), network.to_bytes())
        noisy = self.X + np.random.RandomState(2).normal(size=self.X.shape)
        choice = network.abstain(noisy, self.y, self.names, rate=0.2)
        self.assertLess(choice["error_accepted"], 0.2)
        self.assertAlmostEqual(np.mean(~network.predict(noisy).known), choice["abstained"])
        self.assertAlmostEqual(network.evaluate(noisy, self.y)["abstained"], choice["abstained"])

    def test_trainer(self):
        trainer = Trainer(self.X, self.y, self.names, OPTIONS)
        self.assertEqual(trainer.model().samples_seen, 0)
        self.assertTrue(trainer.run())
        self.assertEqual(trainer.model().to_bytes(), self.model.to_bytes())


if __name__ == "__main__":
    unittest.main()
