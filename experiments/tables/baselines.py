#!/usr/bin/python3
"""scikit-learn on the tables of run.py: error, NLL, ECE and CPU seconds of each method, kept in baselines.json.

LogisticRegression and MLPClassifier see standardised columns (sparse tables: divided by their largest value). What
baselines.json has is not repeated, unless --again.
"""
import argparse
import os
import time
import warnings

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, StandardScaler

import tables

RESULTS = os.path.join(os.path.dirname(__file__), "baselines.json")
MIN_LEAF = 20  # HistGradientBoostingClassifier's min_samples_leaf


def method_of(method, name, x, max_iter):
    scaler = MaxAbsScaler() if name in tables.SPARSE else StandardScaler()
    if method == "LogisticRegression":
        return make_pipeline(scaler, LogisticRegression(max_iter=max_iter, random_state=0))
    if method == "MLPClassifier":
        return make_pipeline(scaler, MLPClassifier(early_stopping=True, random_state=0))
    boosting = HistGradientBoostingClassifier(random_state=0)
    if name not in tables.SPARSE:
        return boosting
    # No leaf can split off a word of fewer than MIN_LEAF rows: leaving these columns out changes no tree.
    columns = np.flatnonzero(x.getnnz(axis=0) >= MIN_LEAF)
    return make_pipeline(FunctionTransformer(lambda rows: rows[:, columns].toarray()), boosting)


def measure(folder, name, method, max_iter):
    probability, truth, seconds = [], [], 0
    for train, test in tables.splits(folder, name):
        x, y = tables.load(name, train)
        x_test, y_test = tables.load(name, test)
        started = time.process_time()
        model = method_of(method, name, x, max_iter).fit(x, y)
        probability.append(model.predict_proba(x_test))
        seconds += time.process_time() - started
        truth.append(np.searchsorted(model.classes_, y_test))
    result = tables.figures(np.concatenate(probability), np.concatenate(truth)) | {"seconds": round(seconds, 1)}
    return result | {"max_iter": max_iter} if method == "LogisticRegression" else result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.environ.get("BITBAYES_DATA"), help="folder of the tables ($BITBAYES_DATA)")
    parser.add_argument("--tables", default=",".join(tables.NAMES))
    parser.add_argument("--methods", default=",".join(tables.METHODS))
    parser.add_argument("--max-iter", type=int, default=1000, help="of LogisticRegression")
    parser.add_argument("--again", action="store_true")
    options = parser.parse_args()
    warnings.filterwarnings("ignore", message="lbfgs failed to converge")
    for name in options.tables.split(","):
        for method in options.methods.split(","):
            if method in tables.saved(RESULTS).get(name, {}) and not options.again:
                continue
            result = measure(options.data, name, method, options.max_iter)
            results = tables.saved(RESULTS)
            results.setdefault(name, {})[method] = result
            tables.save(RESULTS, results)
            print(name, method, result, flush=True)


main()
