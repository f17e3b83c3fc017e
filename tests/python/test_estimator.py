"""BitBayesClassifier and ClippedClassifier: parameters, learning, answers, files."""

import contextlib
import inspect
import io
import os
import sys
import unittest
from unittest import mock

import numpy as np
import pandas
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import bitbayes
from bitbayes import BitBayesClassifier, BitBayesError, ClippedClassifier
from support import FolderTest, blobs, digits

QUICK = {"architecture": "tree", "hidden_layers": 11, "epochs": 2, "evidence": 1, "polish": 1}


def quick(**parameters):
    return BitBayesClassifier(**{**QUICK, **parameters})


class Parameters(unittest.TestCase):
    def test_the_table_of_options_gives_them(self):
        replaced = {"tree", "dense", "seed", "threads"}
        parameters = BitBayesClassifier().get_params()
        for option in bitbayes.options():
            if option.name in replaced:
                self.assertNotIn(option.name, parameters)
            else:
                self.assertEqual(parameters.pop(option.name), option.default, option.name)
        self.assertEqual(parameters, {
            "architecture": "auto", "hidden_layers": None, "random_state": 1, "n_jobs": None, "image_shape": None,
            "input_range": None, "warm_start": False, "verbose": 0})

    def test_signature_and_documentation_name_all(self):
        signature = inspect.signature(BitBayesClassifier)
        self.assertEqual(sorted(signature.parameters), sorted(BitBayesClassifier().get_params()))
        for name, parameter in signature.parameters.items():
            self.assertIs(parameter.kind, inspect.Parameter.KEYWORD_ONLY)
            self.assertRegex(BitBayesClassifier.__doc__, rf"(?m)^{name} : .*default=")
        self.assertRegex(BitBayesClassifier.__doc__, r"shuffle : bool, default=True\n    False: take the rows")

    def test_unknown_ones(self):
        with self.assertRaisesRegex(TypeError, "tree"):
            BitBayesClassifier(tree=3)
        with self.assertRaises(TypeError):
            BitBayesClassifier("dense")
        with self.assertRaisesRegex(ValueError, "tree"):
            BitBayesClassifier().set_params(tree=3)

    def test_values_are_kept_as_they_are_until_fit(self):
        layers = [7, 5]
        estimator = BitBayesClassifier(hidden_layers=layers, epochs=-3)
        self.assertIs(estimator.hidden_layers, layers)
        self.assertIs(estimator.set_params(preprocess="nonsense").preprocess, "nonsense")
        self.assertEqual(clone(estimator).get_params(), estimator.get_params())

    def test_bad_values(self):
        X, y = blobs(30)
        for parameters, message in [
                ({"epochs": 0}, "epochs"), ({"epochs": "many"}, "epochs"), ({"evidence": -1}, "evidence"),
                ({"preprocess": "nonsense"}, "nonsense"), ({"dropout": 1.5}, "dropout"),
                ({"algorithm": "adam"}, "algorithm"), ({"backend": "gpu"}, "backend"), ({"memory": 0}, "memory"),
                ({"polish": -1}, "polish"), ({"class_weight": "rare"}, "class_weight"),
                ({"class_weight": {7: 2}}, "class_weight.*7"), ({"class_weight": {0: -2}}, "-2"),
                ({"class_weight": {0: np.nan}}, "nan"),
                ({"architecture": "forest"}, "architecture"), ({"hidden_layers": 0}, "hidden_layers"),
                ({"n_jobs": 0}, "n_jobs"), ({"random_state": "dice"}, "dice"), ({"random_state": -1}, "seed"),
                ({"augment": "shift:1"}, "augment"), ({"image_shape": (3, 3)}, "image|3 x 3|3x3")]:
            with self.subTest(parameters), self.assertRaisesRegex(ValueError, message):
                quick(**parameters).fit(X, y)
        for parameters, message in [
                ({"hidden_layers": "ten"}, "hidden_layers"), ({"hidden_layers": 2.5}, "hidden_layers"),
                ({"class_weight": 3}, "class_weight"), ({"n_jobs": "two"}, ""), ({"image_shape": 8}, "")]:
            with self.subTest(parameters), self.assertRaisesRegex(TypeError, message):
                quick(**parameters).fit(X, y)

    def test_ways_to_write_values(self):
        X, y = blobs(60)
        for name, ways in {"memory": ["inf", np.inf, None], "epochs": [2, "2", np.int64(2)],
                           "evidence": [(1, 2), "1:2"], "dropout": [0.25, [0.25], "0.25"],
                           "shuffle": [True, "true", np.True_]}.items():
            models = {quick(**{"architecture": "dense", name: way}).fit(X, y).model_.to_bytes() for way in ways}
            self.assertEqual(len(models), 1, name)

    def test_architectures(self):
        X, y = blobs(60)
        for parameters, tree, dense in [
                ({"architecture": "tree"}, [101], None),
                ({"architecture": "tree", "hidden_layers": (5, 3)}, [5, 3], None),
                ({"hidden_layers": [16, 8]}, [], [16, 8]), ({"hidden_layers": np.int64(16)}, [], [16]),
                ({"architecture": "dense", "hidden_layers": 16}, [], [16]), ({}, [], [1024]),
                ({"hidden_layers": ()}, [], None)]:
            with self.subTest(parameters):
                options = BitBayesClassifier(epochs=1, evidence=1, polish=0, **parameters).fit(X, y).options_
                self.assertEqual((options["tree"], options["dense"]), (tree, dense))

    def test_random_state(self):
        X, y = blobs(60)
        seeds = {quick(random_state=None).fit(X, y).options_["seed"] for _ in range(3)}
        self.assertEqual(len(seeds), 3)
        drawn = [quick(random_state=np.random.RandomState(5)).fit(X, y).model_.to_bytes() for _ in range(2)]
        self.assertEqual(*drawn)
        self.assertEqual(quick(random_state=np.uint8(9)).fit(X, y).options_["seed"], 9)

    def test_jobs(self):
        X, y = blobs(60)
        with mock.patch("os.cpu_count", return_value=8):
            for jobs, threads in [(None, 0), (-1, 0), (-2, 7), (-99, 1), (3, 3)]:
                self.assertEqual(quick(n_jobs=jobs).fit(X, y).options_["threads"], threads)


class Fit(unittest.TestCase):
    def test_learns(self):
        X, y = digits(1000)
        estimator = quick(hidden_layers=21, epochs=5).fit(X[:700], y[:700])
        self.assertGreater(estimator.score(X[700:], y[700:]), 0.85)
        self.assertGreater(np.mean(estimator.predict(X[700:], mode="map") == y[700:]), 0.75)
        self.assertEqual([epoch["epoch"] for epoch in estimator.history_], [1, 2, 3, 4, 5])
        self.assertEqual(estimator.options_["epochs"], 5)
        self.assertEqual(estimator.n_features_in_, 64)
        self.assertFalse(hasattr(estimator, "feature_names_in_"))

    def test_labels_of_any_type(self):
        X, y = blobs()
        for labels in [np.array(["no", "perhaps", "yes"]), np.array(["b", "a", "ccc"], dtype=object),
                       np.array([-7, 0, 2**40]), np.array([3, 1, 2], dtype=np.uint8), np.array([1.0, 2.0, 4.0])]:
            with self.subTest(labels):
                estimator = quick().fit(X, labels[y])
                self.assertEqual(estimator.classes_.dtype, labels.dtype)
                np.testing.assert_array_equal(estimator.classes_, np.unique(labels))
                answers = estimator.predict(X)
                self.assertEqual(answers.dtype, labels.dtype)
                self.assertGreater(np.mean(answers == labels[y]), 0.8)
                np.testing.assert_array_equal(estimator.classes_[estimator.predict_proba(X).argmax(axis=1)], answers)
        X, y = blobs(classes=2)
        estimator = quick().fit(X, y == 1)
        self.assertEqual(estimator.model_.class_names, ["False", "True"])
        self.assertEqual(estimator.predict(X).dtype, bool)
        self.assertEqual(quick().fit(X, y + 2.0).model_.class_names, ["2", "3"])

    def test_labels_that_look_the_same(self):
        class Label(str):
            def __str__(self):
                return "same"
        X, y = blobs(classes=2)
        with self.assertRaisesRegex(ValueError, "same text"):
            quick().fit(X, np.array([Label("a"), Label("b")], dtype=object)[y])

    def test_weights(self):
        X, y = blobs()
        plain = quick().fit(X, y).model_.to_bytes()
        weight = np.where(y == 1, 3.0, 1.0)
        weighted = quick().fit(X, y, weight).model_.to_bytes()
        self.assertNotEqual(plain, weighted)
        self.assertEqual(plain, quick().fit(X, y, np.ones(len(y))).model_.to_bytes())
        relative = quick().fit(X, y, weight / weight.mean()).model_.to_bytes()
        for scale in (1, 1024):
            by_label = {0: scale, 1: 3 * scale, 2: scale}
            self.assertEqual(relative, quick(class_weight=by_label).fit(X, y).model_.to_bytes())
        both = quick(class_weight={1: 3}).fit(X, y, np.full(len(y), weight.mean())).model_.to_bytes()
        self.assertEqual(weighted, both)
        few = np.flatnonzero((y > 0) | (np.arange(len(y)) % 4 == 0))
        count = np.bincount(y[few])
        by_hand = {label: len(few) / 3 / count[label] for label in range(3)}
        self.assertEqual(quick(class_weight="balanced").fit(X[few], y[few]).model_.to_bytes(),
                         quick(class_weight=by_hand).fit(X[few], y[few]).model_.to_bytes())

    def test_missing_values_and_sparse_rows(self):
        X, y = blobs()
        X[np.random.RandomState(3).random_sample(X.shape) < 0.1] = np.nan
        self.assertGreater(quick().fit(X, y).score(X, y), 0.8)
        X, y = digits()
        estimators = [quick().fit(kind(X), y)
                      for kind in (sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix, sparse.csr_array)]
        self.assertEqual(len({estimator.model_.to_bytes() for estimator in estimators}), 1)
        self.assertGreater(estimators[0].score(sparse.csc_matrix(X), y), 0.8)
        np.testing.assert_array_equal(estimators[0].predict_proba(sparse.csr_matrix(X)),
                                      estimators[0].predict_proba(X))

    def test_types_give_one_model(self):
        X, y = digits()
        models = {quick().fit(X.astype(kind), y).model_.to_bytes()
                  for kind in (np.uint8, np.float32, np.float64, np.int64, np.float16)}
        self.assertEqual(len(models), 1)

    def test_columns_by_name(self):
        X, y = blobs()
        frame = pandas.DataFrame(X, columns=list("abcde"))
        estimator = quick().fit(frame, y)
        self.assertEqual(list(estimator.feature_names_in_), list("abcde"))
        self.assertEqual(estimator.model_.column_names, list("abcde"))
        self.assertGreater(estimator.score(frame, y), 0.8)
        with self.assertRaisesRegex(ValueError, "feature names"):
            estimator.predict(frame[list("edcba")])
        with self.assertRaisesRegex(ValueError, "(?s)missing.*- e"):
            estimator.predict(frame[list("abcd")])
        with self.assertWarnsRegex(UserWarning, "feature names"):
            estimator.predict(X)
        with self.assertWarnsRegex(UserWarning, "feature names"):
            estimator.partial_fit(X[:1], y[:1])
        self.assertFalse(hasattr(estimator.fit(X, y), "feature_names_in_"))

    def test_images(self):
        X, y = digits()
        estimator = quick(image_shape=(8, 8), augment="shift:1").fit(X, y)
        self.assertNotEqual(estimator.model_.to_bytes(), quick(image_shape=(8, 8)).fit(X, y).model_.to_bytes())
        self.assertGreater(estimator.score(X, y), 0.5)

    def test_warm_start(self):
        X, y = blobs()
        estimator = quick(warm_start=True, epochs=1).fit(X, y)
        self.assertEqual(estimator.model_.samples_seen, 300)
        by_hand = estimator.model_.clone()
        by_hand.update(X, y, ["0", "1", "2"])
        by_hand.polish(X, y, ["0", "1", "2"], rounds=1)
        estimator.fit(X, y)
        self.assertEqual(estimator.model_.samples_seen, 600)
        self.assertEqual(estimator.model_.to_bytes(), by_hand.to_bytes())
        self.assertEqual([epoch["samples_seen"] for epoch in estimator.history_], [300, 600])
        estimator.set_params(epochs=3).fit(X[y < 2], y[y < 2])
        self.assertEqual(estimator.model_.samples_seen, 1200)
        with self.assertRaisesRegex(ValueError, "3"):
            estimator.fit(X, y + 1)
        with self.assertRaisesRegex(ValueError, "4 features"):
            estimator.fit(X[:, :4], y)
        self.assertEqual(estimator.set_params(warm_start=False, epochs=1).fit(X, y).model_.samples_seen, 300)

    def test_verbose(self):
        X, y = digits(1700)
        parameters = {"hidden_layers": 601, "epochs": 8}  # longer than the tenth of a second between two signs of life
        for without in [{}, {"tqdm": None}]:
            with mock.patch.dict(sys.modules, without), contextlib.redirect_stderr(io.StringIO()) as text:
                shown = quick(verbose=1, **parameters).fit(X, y)
            self.assertRegex(text.getvalue(), r"epoch \d of 8")
            self.assertRegex(text.getvalue(), r"8 epochs, error [\d.]+% while learning the last one\n$")
        with contextlib.redirect_stderr(io.StringIO()) as text:
            silent = quick(**parameters).fit(X, y)
        self.assertEqual(text.getvalue(), "")
        self.assertEqual(shown.model_.to_bytes(), silent.model_.to_bytes())


class PartialFit(unittest.TestCase):
    def test_first_call(self):
        X, y = blobs()
        with self.assertRaisesRegex(ValueError, "classes"):
            quick().partial_fit(X, y)
        with self.assertRaisesRegex(ValueError, "1 sample.*input_range"):
            quick().partial_fit(X[:1], y[:1], classes=[0, 1, 2])
        with self.assertRaisesRegex(ValueError, "2 is none of the classes 0, 1"):
            quick().partial_fit(X, y, classes=[0, 1])
        with self.assertRaisesRegex(ValueError, "balanced"):
            quick(class_weight="balanced").partial_fit(X, y, classes=[0, 1, 2])
        estimator = quick().partial_fit(X[:30], y[:30], classes=[2, 0, 1])
        self.assertEqual(estimator.model_.samples_seen, 30)
        np.testing.assert_array_equal(estimator.classes_, [0, 1, 2])
        with self.assertRaisesRegex(ValueError, "classes"):
            estimator.partial_fit(X, y, classes=[0, 1])

    def test_rows_one_by_one_and_in_chunks(self):
        X, y = blobs()
        names = np.array(["no", "perhaps", "yes"])
        kinds = {}
        for step in (1, 7, 300):
            estimator = quick(input_range=(-6, 6))
            for first in range(0, len(y), step):
                estimator.partial_fit(X[first:first + step], names[y[first:first + step]], classes=names)
            kinds[step] = estimator.model_.to_bytes()
        self.assertEqual(len(set(kinds.values())), 1)
        self.assertGreater(estimator.score(X, names[y]), 0.8)
        one = quick(input_range=(-6, 6)).partial_fit(X[:2], names[y[:2]], classes=names)
        for row in range(2, len(y)):  # without `classes`: the short way
            one.partial_fit(X[row:row + 1], names[y[row:row + 1]])
        self.assertEqual(one.model_.to_bytes(), kinds[1])

    def test_input_range(self):
        X, y = blobs(classes=2)
        for ends in [(-6, 6), ([-6] * 5, 6), (np.full(5, -6.0), np.full(5, 6.0))]:
            estimator = quick(input_range=ends).partial_fit(X[:1], y[:1], classes=[0, 1]).partial_fit(X, y)
            self.assertGreater(estimator.score(X, y), 0.8)
        for ends in [6, (1, 2, 3), ([0, 0], [1, 1]), (0, np.nan), (2, 1), "ab"]:
            with self.subTest(ends), self.assertRaisesRegex(ValueError, "input_range"):
                quick(input_range=ends).partial_fit(X[:1], y[:1], classes=[0, 1])
        rows = sparse.csr_matrix(X)
        estimator = quick(input_range=(-6, 6)).partial_fit(rows[:1], y[:1], classes=[0, 1]).partial_fit(rows, y)
        self.assertGreater(estimator.score(rows, y), 0.8)

    def test_after_fit(self):
        X, y = blobs()
        estimator = quick().fit(X, y)
        model = estimator.model_.clone()
        model.update(X[y == 1], y[y == 1], ["0", "1", "2"])
        estimator.partial_fit(X[y == 1], y[y == 1])
        self.assertEqual(estimator.model_.to_bytes(), model.to_bytes())
        self.assertEqual(estimator.model_.samples_seen, 700)

    def test_weights(self):
        X, y = blobs()
        start = quick().partial_fit(X, y, classes=[0, 1, 2])
        by_row, by_class = (clone(start).partial_fit(X, y, classes=[0, 1, 2]) for _ in range(2))
        by_row.partial_fit(X[1:2], y[1:2], sample_weight=[3])
        by_class.set_params(class_weight={1: 3}).partial_fit(X[1:2], y[1:2])
        self.assertEqual(by_row.model_.to_bytes(), by_class.model_.to_bytes())
        self.assertNotEqual(by_row.model_.to_bytes(), start.partial_fit(X[1:2], y[1:2]).model_.to_bytes())

    def test_a_failed_row_changes_nothing(self):
        X, y = blobs()
        estimator = quick().fit(X, y)
        before = estimator.model_.to_bytes()
        bad = X[:3].copy()
        bad[1, 2] = np.inf
        for rows, labels in [(X[:1], [9]), (X[:1], ["a"]), (X[:1], [np.nan]), (X[:1, :4], y[:1]), (X[:1], y[:2]),
                             (bad, y[:3]), (bad[1:2], y[1:2])]:
            with self.assertRaises(ValueError):
                estimator.partial_fit(rows, labels)
        self.assertEqual(estimator.model_.to_bytes(), before)


class Answers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.X, cls.y = blobs()
        cls.three = quick().fit(cls.X, cls.y)
        cls.two_X, cls.two_y = blobs(classes=2)
        cls.two = quick().fit(cls.two_X, cls.two_y)

    def test_not_fitted(self):
        for name in ["predict", "predict_proba", "decision_function", "validity", "margin"]:
            with self.assertRaises(NotFittedError):
                getattr(quick(), name)(self.X)
        for name in ["clip", "export_c", "export_verilog", "save"]:
            with self.assertRaises(NotFittedError):
                getattr(quick(), name)(*["x"] * (name != "clip"))
        self.assertFalse(os.path.exists("x"))

    def test_agree(self):
        far = np.concatenate([self.X, self.X * 1e3, self.X * 1e-9])
        for estimator, X in [(self.three, far), (self.two, np.concatenate([self.two_X, self.two_X * 1e3]))]:
            probability = estimator.predict_proba(X)
            np.testing.assert_allclose(probability.sum(axis=1), 1)
            answers = estimator.predict(X)
            np.testing.assert_array_equal(estimator.classes_[probability.argmax(axis=1)], answers)
            with np.errstate(divide="ignore"):
                np.testing.assert_array_equal(estimator.predict_log_proba(X), np.log(probability))
            decision = estimator.decision_function(X)
            self.assertTrue(np.isfinite(decision).all())
            index = (decision > 0).astype(int) if decision.ndim == 1 else decision.argmax(axis=1)
            np.testing.assert_array_equal(estimator.classes_[index], answers)
        np.testing.assert_allclose(1 / (1 + np.exp(-self.two.decision_function(self.two_X))),
                                   self.two.predict_proba(self.two_X)[:, 1], rtol=1e-9)

    def test_saturated(self):
        X = np.repeat(self.two_X[:1], 3, axis=0)
        for probability, sign in [([[0, 1]], 1), ([[1, 0]], -1), ([[0.5, 0.5]], 1)]:
            model = mock.Mock(**{"probabilities.return_value": np.array(probability, dtype=float)})
            estimator = clone(self.two).fit(self.two_X, self.two_y)
            estimator.model_ = model
            decision = estimator.decision_function(X)
            self.assertTrue(np.isfinite(decision).all())
            self.assertEqual(np.sign(decision).tolist(), [sign])

    def test_validity_and_margin(self):
        answers = self.three.model_.predict(self.X)
        np.testing.assert_array_equal(self.three.validity(self.X), answers.validity)
        np.testing.assert_array_equal(self.three.margin(self.X), answers.margin)
        self.assertLess(self.three.validity(self.X * -5).mean(), self.three.validity(self.X).mean())

    def test_one_row_is_answered_as_among_many(self):
        for call in [self.three.predict, self.three.predict_proba, self.three.validity]:
            np.testing.assert_array_equal(np.concatenate([call(row[None]) for row in self.X]), call(self.X))

    def test_modes(self):
        np.testing.assert_array_equal(self.three.predict(self.X, mode="map"), self.three.clip().predict(self.X))
        with self.assertRaisesRegex(ValueError, "mode"):
            self.three.predict(self.X, mode="median")

    def test_backprop_has_no_probabilities(self):
        estimator = quick(algorithm="backprop", polish=0).fit(self.X, self.y)
        self.assertGreater(estimator.score(self.X, self.y), 0.5)
        for name in ["predict_proba", "predict_log_proba", "decision_function"]:
            self.assertFalse(hasattr(estimator, name))
            self.assertTrue(hasattr(quick(), name))

    def test_in_a_notebook(self):
        self.assertIn("sk-top-container", quick()._repr_html_())
        self.assertIn("sk-top-container", quick()._repr_mimebundle_()["text/html"])
        for fitted in [self.three, self.three.clip()]:
            self.assertIn("classes", fitted._repr_html_())
            self.assertNotIn("sk-top-container", fitted._repr_html_())
            self.assertEqual(fitted._repr_mimebundle_()["text/html"], fitted._repr_html_())


class Clipped(FolderTest):
    def setUp(self):
        super().setUp()
        self.X, self.y = blobs()
        self.estimator = quick().fit(self.X, np.array(["a", "b", "c"])[self.y])
        self.clipped = self.estimator.clip()

    def test_answers(self):
        clipped = self.clipped
        self.assertIsInstance(clipped, ClippedClassifier)
        self.assertGreater(clipped.score(self.X, np.array(["a", "b", "c"])[self.y]), 0.7)
        scores = clipped.decision_function(self.X)
        self.assertEqual((scores.dtype.kind, scores.shape), ("i", (300, 3)))
        np.testing.assert_array_equal(clipped.classes_[scores.argmax(axis=1)], clipped.predict(self.X))
        self.assertEqual(clipped.n_features_in_, 5)
        two = quick().fit(self.X[self.y < 2], self.y[self.y < 2]).clip()
        scores = two.decision_function(self.X)
        self.assertEqual(scores.shape, (300,))
        np.testing.assert_array_equal(scores >= 0, two.predict(self.X) == 1)
        with self.assertRaisesRegex(ValueError, "4 features"):
            clipped.predict(self.X[:, :4])

    def test_abstain(self):
        names = np.array(["a", "b", "c"])[self.y]
        noisy = self.X + np.random.RandomState(2).normal(size=self.X.shape)
        self.assertTrue(self.clipped.known(noisy).all())
        answers = self.clipped.predict(noisy)
        self.assertIs(self.clipped.abstain(noisy, names, rate=0.2), self.clipped)
        known = self.clipped.known(noisy)
        self.assertTrue(0 < known.sum() < 300)
        self.assertLess(np.mean((answers != names)[known]), 0.2)
        np.testing.assert_array_equal(self.clipped.predict(noisy), answers)
        self.assertLess(self.clipped.margin(noisy)[~known].max(), self.clipped.margin(noisy)[known].min())
        with self.assertRaisesRegex(ValueError, "'d' is none"):
            self.clipped.abstain(noisy[:1], ["d"])

    def test_committee(self):
        committee = self.estimator.clip(draws=4)
        self.assertEqual(committee.network_.to_bytes(),
                         bitbayes.PackedNetwork(self.estimator.model_, draws=4, seed=1).to_bytes())
        other = quick(random_state=5).fit(self.X, self.y)
        self.assertEqual(other.clip(4).network_.to_bytes(),
                         bitbayes.PackedNetwork(other.model_, draws=4, seed=5).to_bytes())

    def test_can_be_fitted_itself(self):
        names = np.array(["a", "b", "c"])[self.y]
        again = clone(self.clipped)
        with self.assertRaises(NotFittedError):
            again.predict(self.X)
        self.assertEqual(again.fit(self.X, names).network_.to_bytes(), self.clipped.network_.to_bytes())

    def test_files(self):
        self.clipped.save(self.path("net.bbn"))
        loaded = ClippedClassifier.load(self.path("net.bbn"))
        np.testing.assert_array_equal(loaded.predict(self.X), self.clipped.predict(self.X))
        self.cli("train", self.write("d.csv", "".join(f"{a},{b},{int(a > b)}\n" for a in range(9) for b in range(9))),
                 "-o", "d.bb", "--tree", 3, "-q")
        self.cli("pack", "d.bb", "-o", "d.bbn", "-q")
        loaded = ClippedClassifier.load(self.path("d.bbn"))
        self.assertEqual(loaded.predict(np.array([[1.0, 8.0], [8.0, 1.0]])).tolist(), [0, 1])

    def test_exports(self):
        files = self.clipped.export_c(self.path("c"), name="net", examples=self.X[:3])
        self.assertEqual(files, self.estimator.export_c(self.path("c2"), name="net", examples=self.X[:3]))
        for name in files:
            self.assertEqual(self.read(os.path.join("c", name)), self.read(os.path.join("c2", name)))
        self.assertTrue(any(name.endswith(".v") for name in self.estimator.export_verilog(self.path("v"))))
        with self.assertRaises(OSError):
            self.clipped.export_c(self.path("c"), name="net")
        with self.assertRaises(TypeError):
            self.clipped.export_c(self.path("c"), colour="red")


class Files(FolderTest):
    def test_save_and_load(self):
        X, y = blobs()
        for labels, kind in [(np.array(["a", "b", "c"]), "U"), (np.array([-1, 0, 12]), "i"),
                             (np.array(["01", "2", "3"]), "U"), (np.array([1.0, 2.0, 3.0]), "i")]:
            estimator = quick().fit(X, labels[y])
            estimator.save(self.path("m.bb"), overwrite=True)
            loaded = BitBayesClassifier.load(self.path("m.bb"))
            self.assertEqual(loaded.classes_.dtype.kind, kind)
            np.testing.assert_array_equal(loaded.predict(X), estimator.predict(X))
            np.testing.assert_array_equal(loaded.predict_proba(X), estimator.predict_proba(X))
            loaded.partial_fit(X[:1], loaded.classes_[y[:1]])
            self.assertEqual(loaded.model_.samples_seen, 601)
        with self.assertRaises(OSError):
            estimator.save(self.path("m.bb"))
        with self.assertRaises(OSError):
            BitBayesClassifier.load(self.path("none.bb"))
        with self.assertRaises(BitBayesError):
            BitBayesClassifier.load(self.write("bad.bb", "no model"))

    def test_columns_of_the_command_line(self):
        X, y = blobs()
        frame = pandas.DataFrame(X, columns=list("abcde")).assign(kind=y)
        frame.to_csv(self.path("t.csv"), index=False)
        self.cli("train", "t.csv", "-o", "t.bb", "--tree", 11, "--evidence", 1, "--epochs", 2, "-q")
        loaded = BitBayesClassifier.load(self.path("t.bb"))
        self.assertEqual(list(loaded.feature_names_in_), list("abcde"))
        self.assertGreater(loaded.score(frame[list("abcde")], y), 0.8)


if __name__ == "__main__":
    unittest.main()
