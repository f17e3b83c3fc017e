"""Same seed, rows and options give the same model bytes from the command line and from Python."""

import gzip
import struct
import unittest

import numpy as np
from scipy import sparse

import bitbayes
from bitbayes import BitBayesClassifier
from support import FolderTest, blobs, digits

FLAGS = ["--seed", 3, "--tree", 11, "--epochs", 2]
OPTIONS = {"seed": 3, "tree": 11, "epochs": 2}
PARAMETERS = {"random_state": 3, "architecture": "tree", "hidden_layers": 11, "epochs": 2}


def idx(array):
    """An array of bytes as an IDX file."""
    return struct.pack(f">BBBB{array.ndim}I", 0, 0, 8, array.ndim, *array.shape) + array.tobytes()


class SameBytes(FolderTest):
    def trained(self, data, *flags):
        """The model file of the command line."""
        self.cli("train", data, "-o", "m.bb", *FLAGS, *flags, "--force", "-q")
        return self.read("m.bb")

    def same(self, name, *flags, reading=None, **options):
        expected = self.trained(name, *flags)
        table = bitbayes.read(self.path(name), **(reading or {}))
        self.assertEqual(bitbayes.train(table, **OPTIONS, **options).model.to_bytes(), expected)
        return table, expected

    def test_npz(self):
        X, y = blobs()
        np.savez(self.path("t.npz"), X=X.astype(np.float32), y=y)
        table, expected = self.same("t.npz")
        np.testing.assert_array_equal(table.X, X.astype(np.float32))
        np.testing.assert_array_equal(table.y, y)
        self.assertEqual(bitbayes.train(table.X, table.y, **OPTIONS).model.to_bytes(), expected)
        self.assertEqual(BitBayesClassifier(**PARAMETERS).fit(table.X, table.y).model_.to_bytes(), expected)

    def test_members(self):
        X, y = blobs()
        np.savez(self.path("t.npz"), X=X, y=y)
        data = self.trained("t.npz", "--members", 2, "--evidence", 1)
        model = bitbayes.Model.load(self.path("m.bb"))
        self.assertEqual((model.members, model.to_bytes()), (2, data))
        alone = bitbayes.train(X, y, **{**OPTIONS, "seed": 4}, evidence=1).model
        self.assertEqual((alone.members, alone.to_bytes()), (1, model.member(1).to_bytes()))
        mean = (model.member(0).probabilities(X) + alone.probabilities(X)) / 2
        np.testing.assert_array_equal(model.probabilities(X), mean)

    def test_csv_of_numbers(self):
        X, y = blobs()
        lines = [",".join([f"c{j}" for j in range(5)] + ["kind"])]
        lines += [",".join([f"{x:.4f}" for x in row] + [f"class {k}"]) for row, k in zip(X, y)]
        self.write("t.csv", "\n".join(lines) + "\n")
        table, _ = self.same("t.csv")
        self.assertEqual(table.feature_names, [f"c{j}" for j in range(5)])
        self.assertEqual(table.y[:3].tolist(), ["class 0", "class 1", "class 2"])
        self.same("t.csv", "--dense", 16, "--batch", 7, dense=[16], batch=7)
        self.same("t.csv", "--evidence", "0.5:2", "--polish", 0, evidence=(0.5, 2), polish=0)
        self.same("t.csv", "--memory", 500, "--label-noise", "auto", "--no-shuffle", memory=500, label_noise="auto",
                  shuffle=False)

    def test_csv_of_words(self):
        X, y = blobs()
        words = np.array(["red", "green", "blue"])[(X[:, 0] > 0).astype(int) + (X[:, 1] > 0)]
        weight = 1 + np.arange(300) % 3
        lines = [f"{w},{a:.3f},{'?' if k % 9 == 0 else format(b, '.3f')},{n},{label}"
                 for k, (w, a, b, n, label) in enumerate(zip(words, X[:, 2], X[:, 3], weight, y))]
        self.write("t.csv", "word,a,b,n,kind\n" + "\n".join(lines) + "\n")
        table, plain = self.same("t.csv", "--ignore", "n", reading={"ignore": ["n"]})
        self.assertEqual(table.dataset.categories[0], ["blue", "green", "red"])
        self.assertTrue(np.isnan(table.X[0, 2]))
        table, weighted = self.same("t.csv", "--row-weight", "n", reading={"row_weight": "n"})
        np.testing.assert_array_equal(table.sample_weight, weight)
        self.assertNotEqual(plain, weighted)
        self.write("w.csv", "0,2\n2,0.5\n")
        self.same("t.csv", "--row-weight", "n", "--class-weight", "w.csv", reading={"row_weight": "n"},
                  class_weight={0: 2, 2: 0.5})

    def test_libsvm(self):
        X, y = digits(300)
        lines = [" ".join([str(label)] + [f"{j + 1}:{row[j]:g}" for j in np.flatnonzero(row)])
                 for row, label in zip(X, y)]
        self.write("t.libsvm", "\n".join(lines) + "\n")
        table, expected = self.same("t.libsvm")
        self.assertTrue(sparse.issparse(table.X))
        np.testing.assert_array_equal(table.X.toarray(), X[:, :table.X.shape[1]])
        self.assertEqual(BitBayesClassifier(**PARAMETERS).fit(table.X, table.y).model_.to_bytes(), expected)

    def test_idx_is_an_array_of_images(self):
        X, y = digits(300)
        X = X.astype(np.uint8)
        self.write("images", idx(X.reshape(-1, 8, 8)))
        self.write("labels.gz", gzip.compress(idx(y.astype(np.uint8))))
        name = f"{self.path('images')},{self.path('labels.gz')}"
        expected = self.trained(name, "--augment", "shift:1")
        table = bitbayes.read(name)
        self.assertEqual(table.image_shape, (8, 8))
        for trained in [bitbayes.train(table, augment="shift:1", **OPTIONS),
                        bitbayes.train(X, y, augment="shift:1", image_shape=(8, 8), **OPTIONS)]:
            self.assertEqual(trained.model.to_bytes(), expected)
        estimator = BitBayesClassifier(image_shape=(8, 8), augment="shift:1", **PARAMETERS)
        self.assertEqual(estimator.fit(X, y).model_.to_bytes(), expected)

    def test_teacher(self):
        expected = self.trained("teacher:9#0:400")
        self.assertEqual(bitbayes.train(bitbayes.read("teacher:9#0:400"), **OPTIONS).model.to_bytes(), expected)

    def test_threads(self):
        X, y = digits(300)
        for parameters in [PARAMETERS, {"hidden_layers": 32, "epochs": 2}]:
            one, two = (BitBayesClassifier(n_jobs=jobs, **parameters).fit(X, y) for jobs in (1, 2))
            self.assertEqual(one.model_.to_bytes(), two.model_.to_bytes())
            np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))

    def test_no_options(self):
        X, y = blobs(60)
        np.savez(self.path("t.npz"), X=X, y=y)
        self.cli("train", "t.npz", "-o", "m.bb", "-q")
        expected = self.read("m.bb")
        self.assertEqual(bitbayes.train(X, y).model.to_bytes(), expected)
        self.assertEqual(BitBayesClassifier().fit(X, y).model_.to_bytes(), expected)

    def test_the_seed_matters(self):
        X, y = blobs(60)
        self.assertNotEqual(*(bitbayes.train(X, y, tree=3, epochs=1, seed=seed).model.to_bytes() for seed in (1, 2)))

    def test_test_rows(self):
        X, y = blobs(200, seed=2)
        np.savez(self.path("t.npz"), X=X, y=y)
        np.savez(self.path("u.npz"), X=X[:50], y=y[:50])
        expected = self.trained("t.npz", "--test", "u.npz")
        tables = bitbayes.train(bitbayes.read(self.path("t.npz")), test=bitbayes.read(self.path("u.npz")), **OPTIONS)
        arrays = bitbayes.train(X, y, test=(X[:50], y[:50]), **OPTIONS)
        self.assertEqual([tables.model.to_bytes(), arrays.model.to_bytes()], [expected, expected])
        self.assertEqual(tables.test["error_map"], arrays.test["error_map"])
        self.assertEqual(len(arrays.history), 2)
        self.assertEqual(arrays.test["nll"], arrays.history[-1]["nll"])


if __name__ == "__main__":
    unittest.main()
