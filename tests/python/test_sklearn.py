"""The estimator among others of scikit-learn: its checks, pipelines, searches, pickles."""

import copy
import io
import pickle
import unittest
import warnings

import joblib
import numpy as np
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_checks

from bitbayes import BitBayesClassifier, ClippedClassifier
from support import blobs, digits


def quick(**parameters):
    return BitBayesClassifier(**{"hidden_layers": 32, "epochs": 3, "evidence": 1, "polish": 0, **parameters})


class Narrow(BitBayesClassifier):
    """What users do: a class of their own with fewer parameters."""

    def __init__(self, hidden_layers=9):
        super().__init__(hidden_layers=hidden_layers, architecture="tree")


class Checks(unittest.TestCase):
    def check(self, estimator, also=()):
        expected = estimator._get_tags()["_xfail_checks"]
        self.assertLessEqual(set(expected), {"check_sample_weights_invariance"})
        for reason in expected.values():
            self.assertGreater(len(reason), 30)
        self.assertFalse(estimator._get_tags()["poor_score"])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", DeprecationWarning)
            warnings.filterwarnings("ignore", category=estimator_checks.SkipTestWarning)
            estimator_checks.check_estimator(estimator)
            for check in also:
                check(type(estimator).__name__, estimator)

    def test_dense(self):
        self.check(BitBayesClassifier(), [estimator_checks.check_n_features_in_after_fitting,
                                          estimator_checks.check_dataframe_column_names_consistency])

    def test_tree(self):
        self.check(BitBayesClassifier(architecture="tree"))
        self.check(BitBayesClassifier(architecture="tree", hidden_layers=9, preprocess="standardize"))

    def test_clipped(self):
        self.check(ClippedClassifier(BitBayesClassifier(hidden_layers=256)))

    def test_weights_of_one(self):
        # The check that is expected to fail has a half that passes: weights of one are no weights.
        estimator_checks.check_sample_weights_invariance("BitBayesClassifier", BitBayesClassifier(), kind="ones")
        with self.assertRaisesRegex(AssertionError, "zero sample_weight"):
            estimator_checks.check_sample_weights_invariance("BitBayesClassifier", BitBayesClassifier(), kind="zeros")


class Company(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.X, cls.y = digits(500)

    def test_pipeline_and_search(self):
        search = GridSearchCV(make_pipeline(StandardScaler(), quick(n_jobs=1)),
                              {"bitbayesclassifier__hidden_layers": [4, (32,), (32, 16)]}, cv=3, n_jobs=2)
        search.fit(self.X, self.y)
        scores = search.cv_results_["mean_test_score"]
        self.assertGreater(search.best_score_, 0.8)
        self.assertGreater(scores[1], scores[0])
        self.assertEqual(search.best_estimator_[-1].options_["dense"],
                         np.atleast_1d(search.best_params_["bitbayesclassifier__hidden_layers"]).tolist())

    def test_cross_val_score(self):
        for scoring in ["accuracy", "neg_log_loss", "roc_auc_ovr"]:
            scores = cross_val_score(quick(), self.X, self.y, cv=3, scoring=scoring, error_score="raise")
            self.assertTrue(np.isfinite(scores).all())
            self.assertLess(np.ptp(scores), 0.5)

    def test_calibrated(self):
        for method in ["sigmoid", "isotonic"]:
            calibrated = CalibratedClassifierCV(quick(), cv=3, method=method).fit(self.X, self.y)
            self.assertGreater(calibrated.score(self.X, self.y), 0.9)
            np.testing.assert_allclose(calibrated.predict_proba(self.X).sum(axis=1), 1)

    def test_voting(self):
        members = [("bits", quick()), ("line", LogisticRegression(max_iter=1000))]
        for kind in ["hard", "soft"]:
            self.assertGreater(VotingClassifier(members, voting=kind).fit(self.X, self.y).score(self.X, self.y), 0.9)

    def test_clipped_in_company(self):
        clipped = ClippedClassifier(quick(hidden_layers=64, polish=3))
        scores = cross_val_score(clipped, self.X, self.y, cv=3, error_score="raise")
        self.assertGreater(scores.mean(), 0.7)


class Copies(unittest.TestCase):
    def setUp(self):
        X, y = blobs()
        self.X, self.y = X, np.array(["no", "perhaps", "yes"])[y]
        self.estimator = quick().fit(self.X, self.y)

    def copies(self, fitted):
        stored = io.BytesIO()
        joblib.dump(fitted, stored)
        stored.seek(0)
        return [pickle.loads(pickle.dumps(fitted)), joblib.load(stored), copy.deepcopy(fitted)]

    def test_the_whole_state(self):
        for twin in self.copies(self.estimator):
            self.assertEqual(twin.get_params(), self.estimator.get_params())
            self.assertEqual(twin.model_.to_bytes(), self.estimator.model_.to_bytes())
            self.assertEqual(twin.options_, self.estimator.options_)
            np.testing.assert_array_equal(twin.predict(self.X), self.estimator.predict(self.X))
            before = self.estimator.model_.to_bytes()
            twin.partial_fit(self.X[:1], self.y[:1])
            self.assertEqual(self.estimator.model_.to_bytes(), before)
            self.assertNotEqual(twin.model_.to_bytes(), before)

    def test_clipped(self):
        clipped = self.estimator.clip().abstain(self.X, self.y, 0.02)
        self.assertFalse(clipped.known(self.X).all())
        for twin in self.copies(clipped):
            np.testing.assert_array_equal(twin.predict(self.X), clipped.predict(self.X))
            np.testing.assert_array_equal(twin.known(self.X), clipped.known(self.X))

    def test_clone_is_not_fitted(self):
        twin = clone(self.estimator)
        self.assertEqual(twin.get_params(), self.estimator.get_params())
        self.assertFalse(hasattr(twin, "model_"))

    def test_subclass(self):
        estimator = Narrow(5).fit(self.X, self.y)
        self.assertEqual(estimator.get_params(), {"hidden_layers": 5})
        self.assertEqual(clone(estimator).hidden_layers, 5)
        self.assertEqual(estimator.options_["tree"], [5])
        self.assertGreater(pickle.loads(pickle.dumps(estimator)).score(self.X, self.y), 0.7)


if __name__ == "__main__":
    unittest.main()
