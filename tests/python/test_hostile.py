"""Arrays that make no sense: a Python exception that says what is wrong, or the right answer; never a crash."""

import unittest
import warnings

import numpy as np
from scipy import sparse

import bitbayes
from bitbayes import BitBayesClassifier, _core
from support import FolderTest, blobs

X, Y = blobs(60)
NAMES = ["0", "1", "2"]
OPTIONS = {"tree": [5], "epochs": 1, "evidence": 1, "polish": 0}


def estimator(**parameters):
    return BitBayesClassifier(**{"architecture": "tree", "hidden_layers": 5, "epochs": 1, "evidence": 1, "polish": 0,
                                 **parameters})


def changed(value, at=(7, 2)):
    rows = X.copy()
    rows[at] = value
    return rows


def raw_csr(data, indices, indptr, shape):
    """A CSR matrix whose parts nobody has checked."""
    matrix = sparse.csr_matrix(shape)
    matrix.data, matrix.indices, matrix.indptr = map(np.asarray, (data, indices, indptr))
    return matrix


BAD_ROWS = {
    "1-D": (X[0], "[Dd]imension|1D array"),
    "3-D": (X[None], "[Dd]imension|dim 3"),
    "0-D": (np.array(1.0), "[Dd]imension|scalar"),
    "no rows": (X[:0], "0 sample|no rows"),
    "no columns": (X[:, :0], "0 feature|no (columns|features)|column"),
    "infinity": (changed(np.inf), "[Ii]nf"),
    "minus infinity": (changed(-np.inf), "[Ii]nf"),
    "infinity, float32": (changed(np.inf).astype(np.float32), "[Ii]nf"),
    "complex": (X.astype(complex), "[Cc]omplex"),
    "words": (np.full(X.shape, "word"), "could not convert|numbers|numeric|word|str"),
    "objects": (np.full(X.shape, object()), "object|float"),
    "dicts": (np.array([[{}] * 5] * 60, dtype=object), "dict|object|float"),
    "structured": (np.zeros(60, dtype=[("a", float), ("b", float)]), "[Dd]imension|1D|2D|void|numbers|float"),
    "bytes": (np.full(X.shape, b"x"), "numbers|bytes|numeric|convert|could not"),
    "ragged": ([[1, 2, 3], [4, 5]], "inhomogeneous|sequence|shape|[Dd]imension|setting an array"),
    "None": (None, "None|array|[Dd]imension|scalar"),
    "text": ("rows", "rows|scalar|[Dd]imension|array|numbers"),
    "sparse, infinity": (sparse.csr_matrix(changed(np.inf)), "[Ii]nf"),
    "CSR, column too high": (raw_csr([1.0, 2.0], [0, 9], [0] + [2] * 60, (60, 5)), "column|ind(ex|ices)"),
    "CSR, negative column": (raw_csr([1.0, 2.0], [0, -1], [0] + [2] * 60, (60, 5)), "column|ind(ex|ices)"),
    "CSR, starts fall": (raw_csr([1.0, 2.0], [0, 1], [0, 2, 1] + [2] * 58, (60, 5)), "indptr|index pointer"),
    "CSR, starts too high": (raw_csr([1.0, 2.0], [0, 1], [0] + [99] * 60, (60, 5)), "indptr|[Ii]ndex pointer|indices"),
    "CSR, few starts": (raw_csr([1.0, 2.0], [0, 1], [0, 2], (60, 5)), "indptr|index pointer"),
}

GOOD_ROWS = {
    "list": X.tolist(),
    "read-only": np.frombuffer(X.tobytes()).reshape(X.shape),
    "Fortran order": np.asfortranarray(X),
    "strided": np.repeat(np.repeat(X, 3, axis=0), 2, axis=1)[::3, ::2],
    "negative strides": X[::-1, ::-1].copy()[::-1, ::-1],
    "transposed": X.T.copy().T,
    "big-endian": X.astype(">f8"),
    "float128": X.astype(np.longdouble),
    "objects that are numbers": X.astype(object),
    "unaligned": np.frombuffer(b"x" + X.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(X.shape),
    "field of records": np.hstack([X, X]).view([("a", "f8", 5), ("b", "f8", 5)])["a"][:, 0, :],
}

BAD_LABELS = {
    "NaN": (np.where(Y == 1, np.nan, Y), "NaN"),
    "infinity": (np.where(Y == 1, np.inf, Y), "[Ii]nf"),
    "NaN object": (np.array([np.nan] + [1] * 59, dtype=object), "NaN|nan"),
    "None object": (np.array([None] + ["a"] * 59, dtype=object), "."),
    "too few": (Y[:-1], "inconsistent|59"),
    "too many": (np.append(Y, 0), "inconsistent|61"),
    "2-D": (np.stack([Y, Y], axis=1), "1d array|dimension|multi|shape"),
    "0-D": (np.array(3), "1d array|dimension|scalar|shape"),
    "real numbers": (X[:, 0], "continuous"),
    "one class": (np.zeros(60), "one class"),
    "none": (None, "y"),
    "sets": (np.array([{1}] * 60, dtype=object), "."),
    "mixed": (np.array([1, "a"] * 30, dtype=object), "."),
}

BAD_WEIGHTS = {
    "too few": (np.ones(59), "59|shape"),
    "2-D": (np.ones((60, 2)), "1D|2"),
    "negative": (np.where(Y == 1, -1.0, 1.0), "[Nn]egative|weight"),
    "NaN": (np.where(Y == 1, np.nan, 1.0), "NaN|nan"),
    "infinite": (np.where(Y == 1, np.inf, 1.0), "[Ii]nf"),
    "huge": (np.full(60, 1e300), "weight|[Ii]nf|large"),
    "words": (np.full(60, "much"), "much|convert"),
}


class Estimator(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.fitted = estimator().fit(X, Y)

    def fails(self, pattern, call, *arguments, **options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with self.assertRaisesRegex((ValueError, TypeError), pattern):
                call(*arguments, **options)

    def test_bad_rows(self):
        before = self.fitted.model_.to_bytes()
        for name, (rows, pattern) in BAD_ROWS.items():
            with self.subTest(name):
                self.fails(pattern, estimator().fit, rows, Y)
                self.fails(pattern, estimator().partial_fit, rows, Y, classes=[0, 1, 2])
                self.fails(pattern, self.fitted.partial_fit, rows, Y)
                for call in [self.fitted.predict, self.fitted.predict_proba, self.fitted.clip().predict]:
                    if "nfinity" not in name:
                        self.fails(pattern, call, rows)
        self.assertEqual(self.fitted.model_.to_bytes(), before)

    def test_infinity_in_rows_to_answer(self):
        for kind in (np.float64, np.float32):
            for rows in (changed(np.inf).astype(kind), changed(np.inf).astype(kind)[7:8]):
                for call in [self.fitted.predict, self.fitted.predict_proba, self.fitted.validity]:
                    self.fails("[Ii]nf", call, rows)
                self.fails("[Ii]nf", self.fitted.partial_fit, rows, Y[:len(rows)])

    def test_good_rows(self):
        expected = estimator().fit(X, Y)
        for name, rows in GOOD_ROWS.items():
            with self.subTest(name):
                fitted = estimator().fit(rows, Y)
                self.assertEqual(fitted.model_.to_bytes(), expected.model_.to_bytes())
                np.testing.assert_array_equal(fitted.predict_proba(rows), expected.predict_proba(X))
                np.testing.assert_array_equal(fitted.clip().decision_function(rows),
                                              expected.clip().decision_function(X))

    def test_good_labels(self):
        expected = estimator().fit(X, Y).model_.to_bytes()
        for labels in [Y.tolist(), Y.astype(">i8"), np.repeat(Y, 2)[::2], Y[::-1].copy()[::-1], Y.astype(np.int8)]:
            self.assertEqual(estimator().fit(X, labels).model_.to_bytes(), expected)

    def test_bad_labels(self):
        for name, (labels, pattern) in BAD_LABELS.items():
            with self.subTest(name):
                self.fails(pattern, estimator().fit, X, labels)
                if name not in ("one class",):
                    self.fails(".", self.fitted.partial_fit, X, labels)

    def test_bad_weights(self):
        for name, (weights, pattern) in BAD_WEIGHTS.items():
            with self.subTest(name):
                self.fails(pattern, estimator().fit, X, Y, weights)
                self.fails(pattern, self.fitted.partial_fit, X, Y, sample_weight=weights)

    def test_other_number_of_columns(self):
        for rows in [X[:, :4], np.hstack([X, X]), X[:1, :4], X[:, :4].astype(np.float32),
                     sparse.csr_matrix(X[:, :4]), X[:, :4].tolist()]:
            self.fails("4 features|10 features", self.fitted.predict, rows)
            self.fails("4 features|10 features", self.fitted.partial_fit, rows, Y[:len(rows) if isinstance(
                rows, list) else rows.shape[0]])

    def test_huge_and_tiny_numbers(self):
        for scale in [1e30, 1e300, 1e-300, 5e-324]:
            with self.subTest(scale), np.errstate(over="ignore"):
                try:
                    fitted = estimator().fit(X * scale, Y)
                except ValueError:
                    continue
                self.assertTrue(np.isfinite(fitted.predict_proba(X * scale)).all())
        rows = np.array([[2**62, -2**62]] * 30 + [[0, 1]] * 30, dtype=object)
        self.assertEqual(len(estimator().fit(rows, [0] * 30 + [1] * 30).predict(rows)), 60)
        with self.assertRaisesRegex(OverflowError, "too large"):
            estimator().fit(np.array([[10**400, 1]] * 60, dtype=object), Y)

    def test_missing_columns(self):
        rows = X.copy()
        rows[:, 1] = np.nan
        self.assertEqual(len(estimator().fit(rows, Y).predict(rows)), 60)
        self.assertEqual(len(self.fitted.predict(np.full(X.shape, np.nan))), 60)

    def test_sparse_rows_in_disorder(self):
        matrix = sparse.csr_matrix(np.where(np.abs(X) > 1, X, 0))
        expected = estimator().fit(matrix, Y)
        disorder = matrix.copy()
        for row in range(60):
            part = slice(disorder.indptr[row], disorder.indptr[row + 1])
            disorder.indices[part] = disorder.indices[part][::-1].copy()
            disorder.data[part] = disorder.data[part][::-1].copy()
        halves = sparse.csr_matrix((np.repeat(matrix.data / 2, 2), np.repeat(matrix.indices, 2), matrix.indptr * 2),
                                   shape=matrix.shape)
        strided = sparse.csr_matrix(matrix.shape)
        strided.data = np.repeat(matrix.data.astype(np.float32), 2)[::2]
        strided.indices, strided.indptr = np.repeat(matrix.indices, 2)[::2], matrix.indptr
        wide = sparse.csr_matrix(matrix)
        wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
        for name, rows in [("disorder", disorder), ("halves", halves), ("strided", strided), ("int64", wide)]:
            with self.subTest(name):
                np.testing.assert_array_equal(expected.predict_proba(rows), expected.predict_proba(matrix))
                np.testing.assert_array_equal(_core.Model.predict(expected.model_, rows).margin,
                                              expected.margin(matrix))

    def test_names_of_classes(self):
        for labels in [["", "a", "b"], ["a\nb", "a\tb", 'a"b'], ["é", "日本", "🙂"], ["a" * 5000, "b", "c"],
                       ["a\0", "b", "c\0d"]]:
            with self.subTest(labels):
                words = np.array(labels, dtype=object)[Y]
                try:
                    fitted = estimator().fit(X, words)
                except ValueError as error:
                    self.assertRegex(str(error), "class|label|name")
                    continue
                self.assertEqual(set(fitted.classes_), set(labels))
                again = _core.Model.from_bytes(fitted.model_.to_bytes())
                self.assertEqual(again.class_names, fitted.model_.class_names)

    def test_many_classes(self):
        rows, y = np.random.RandomState(0).normal(size=(300, 3)), np.arange(300)
        self.fails("300 classes", estimator().fit, rows, y)
        self.assertEqual(len(estimator(classes_ok=True, hidden_layers=2).fit(rows, y).classes_), 300)


class Core(FolderTest):
    """The extension module itself."""

    def setUp(self):
        super().setUp()
        self.model = bitbayes.train(X, Y, **OPTIONS).model
        self.network = _core.PackedNetwork(self.model)

    def fails(self, call, *arguments, **options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with self.assertRaises((ValueError, TypeError, OverflowError)) as raised:
                call(*arguments, **options)
        self.assertGreater(len(str(raised.exception)), 5)

    def test_bad_rows(self):
        before = self.model.to_bytes()
        for name, (rows, _) in BAD_ROWS.items():
            with self.subTest(name):
                self.fails(_core.Trainer, rows, Y, NAMES, OPTIONS)
                self.fails(_core.new_model, rows, NAMES, OPTIONS)
                if name == "no rows":
                    self.assertEqual(len(self.model.predict(rows).class_index), 0)
                elif "infinity" not in name:  # which thresholds understand
                    self.fails(self.model.update, rows, Y, NAMES)
                    self.fails(self.model.predict, rows)
                    self.fails(self.network.predict, rows)
                    self.fails(self.network.scores, rows)
        self.assertEqual(self.model.to_bytes(), before)

    def test_good_rows(self):
        for name, rows in GOOD_ROWS.items():
            with self.subTest(name):
                np.testing.assert_array_equal(self.model.probabilities(rows), self.model.probabilities(X))
                np.testing.assert_array_equal(self.network.scores(rows), self.network.scores(X))
                self.assertEqual(bitbayes.train(rows, Y, **OPTIONS).model.to_bytes(), self.model.to_bytes())

    def test_bad_labels(self):
        for labels in [Y[:-1], np.append(Y, 0), Y + 1, Y - 1, Y.astype(float), Y.astype(str), np.stack([Y, Y]), None,
                       [2**40] * 60, [None] * 60]:
            with self.subTest(str(labels)[:30]):
                self.fails(_core.Trainer, X, labels, NAMES, OPTIONS)
                self.fails(self.model.update, X, labels, NAMES)
                self.fails(self.model.evaluate, X, labels, NAMES)
                self.fails(self.network.abstain, X, labels, NAMES)
        self.fails(_core.Trainer, X, Y, ["0", "0", "2"], OPTIONS)
        self.fails(_core.Trainer, X, Y, "012", OPTIONS)
        self.fails(self.model.update, X, Y, ["0", "1", "other"])

    def test_bad_weights(self):
        for weights in [np.ones(59), -np.ones(60), np.full(60, np.nan), np.full(60, np.inf), np.ones((60, 1)),
                        ["much"] * 60]:
            self.fails(_core.Trainer, X, Y, NAMES, OPTIONS, weights)
            self.fails(self.model.update, X, Y, NAMES, weights)
            self.fails(self.model.polish, X, Y, NAMES, weights)

    def test_one_row(self):
        before = self.model.to_bytes()
        for row, label in [(X[0], "9"), (X[0, :4], "0"), (X[:1], "0"), (1.0, "0"), (["a"] * 5, "0"), (X[0], 0),
                           (None, "0")]:
            self.fails(self.model.learn, row, label)
        self.assertEqual(self.model.to_bytes(), before)
        self.assertEqual(len(self.model.learn(X[0].tolist(), "0")), 4)

    def test_bad_options(self):
        for options in [{"colour": 1}, {"epochs": 0}, {"epochs": 2**70}, {"epochs": "ten"}, {"seed": -1},
                        {"seed": 2**64}, {"threads": 5000}, {"tree": [0]}, {"tree": [2**40]}, {"dense": ["wide"]},
                        {"dropout": [2]}, {"evidence": 0}, {"evidence": float("nan")}, {"evidence": (1, 2, 3)},
                        {"memory": 0}, {"bias": "perhaps"}, {"polish": 1001}, {"prior_scale": float("inf")},
                        {"algorithm": None}, {"preprocess": "thermometer:0"}, {"augment": "shift:1"}, {3: 4}]:
            with self.subTest(options):
                self.fails(_core.Trainer, X, Y, NAMES, options)
                self.fails(_core.new_model, X, NAMES, options)
        self.fails(_core.Trainer, X, Y, NAMES, OPTIONS, column_names=["a"])
        self.fails(_core.Trainer, X, Y, NAMES, OPTIONS, image_shape=(2, 2))
        self.fails(_core.Trainer, X, Y, NAMES, OPTIONS, test=X)
        self.fails(_core.Trainer, X, Y, NAMES, OPTIONS, test=(X[:, :3], Y))
        self.fails(_core.new_model, X, ["a"], OPTIONS)
        self.fails(_core.new_model, X, ["a", "a"], OPTIONS)

    def test_bad_bytes_and_files(self):
        good = self.model.to_bytes()
        for data in [b"", b"x", good[:-1], good[:100], good[:200] + b"\xff" + good[201:], self.network.to_bytes()]:
            with self.assertRaises(bitbayes.BitBayesError) as raised:
                _core.Model.from_bytes(data)
            self.assertEqual(raised.exception.exit_code, 4)
        with self.assertRaises(bitbayes.BitBayesError):
            _core.PackedNetwork.from_bytes(good)
        with self.assertRaises(OSError):
            bitbayes.read(self.path("none.csv"))
        with self.assertRaisesRegex(bitbayes.BitBayesError, "bad.csv"):
            bitbayes.read(self.write("bad.csv", "1,2,3\n1,2\n"))
        with self.assertRaisesRegex(TypeError, "colour"):
            bitbayes.read(self.path("bad.csv"), colour="red")
        with self.assertRaises(OSError):
            self.model.save(self.path("no/such/folder.bb"))

    def test_arrays_outlive_their_owners(self):
        layer = bitbayes.train(X, Y, **OPTIONS).model.posterior(0)
        np.savez(self.path("t.npz"), X=X, y=Y)
        rows = bitbayes.read(self.path("t.npz")).X
        self.assertFalse(layer.h.flags.writeable or rows.flags.writeable)
        filler = [np.ones(X.size) for _ in range(100)]
        np.testing.assert_array_equal(layer.h, self.model.posterior(0).h)
        np.testing.assert_array_equal(rows, X)
        self.assertEqual(len(filler), 100)
        with self.assertRaises((IndexError, ValueError, TypeError, OverflowError)):
            self.model.posterior(self.model.layers)
        with self.assertRaises((IndexError, ValueError, TypeError, OverflowError)):
            self.model.posterior(-1)

    def test_functions(self):
        with self.assertRaisesRegex(TypeError, "labels"):
            bitbayes.train(X)
        with self.assertRaisesRegex(TypeError, r"name of a file; bitbayes.read\('data.csv'\) reads it"):
            bitbayes.train("data.csv")
        with self.assertRaisesRegex(TypeError, "colour"):
            bitbayes.train(X, Y, colour="red")
        with self.assertRaisesRegex(ValueError, "NaN"):
            bitbayes.train(X, np.where(Y == 1, np.nan, Y))
        with self.assertRaisesRegex(ValueError, "none of the classes"):
            bitbayes.train(X, Y, test=(X, Y + 1))
        np.savez(self.path("t.npz"), X=X, y=Y)
        table = bitbayes.read(self.path("t.npz"))
        with self.assertRaisesRegex(TypeError, "of its own"):
            bitbayes.train(table, Y)


if __name__ == "__main__":
    unittest.main()
