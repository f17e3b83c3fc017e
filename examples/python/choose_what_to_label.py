"""Labels are expensive: which rows should people label next?

Those with a small margin, where the network is torn between two classes, teach it more than random ones. But if the
pool also holds rows of no class at all, here images of noise, these have small margins too, and labelling them is a
waste: their low validity gives them away.
"""
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from bitbayes import BitBayesClassifier

START, STEP, ROUNDS, SEEDS = 40, 20, 5, 4
NONE = -1  # the label of noise

# Rows with the lowest of these are labelled next.
CHOICES = {
    "random": lambda classifier, X, random: random.random(len(X)),
    "margin": lambda classifier, X, random: classifier.margin(X),
    "valid, margin": lambda classifier, X, random: np.where(classifier.validity(X) > 0.1, classifier.margin(X), np.inf),
}


def errors(choice, seed, noise):
    """Of the test rows, after START, START + STEP, ... labels."""
    X, y = load_digits(return_X_y=True)
    pool, X_test, labels, y_test = train_test_split(X, y, test_size=0.4, random_state=0, stratify=y)
    random = np.random.default_rng(seed)
    labelled = random.permutation(len(pool))[:START]
    pool = np.concatenate([pool, random.integers(0, 17, size=(noise, 64))])
    labels = np.concatenate([labels, np.full(noise, NONE)])
    result = []
    for _ in range(ROUNDS + 1):
        digits = labelled[labels[labelled] != NONE]
        classifier = BitBayesClassifier(hidden_layers=256, epochs=20, evidence=3, polish=0, random_state=seed)
        classifier.fit(pool[digits], labels[digits])
        result.append(1 - classifier.score(X_test, y_test))
        others = np.setdiff1d(np.arange(len(pool)), labelled)
        order = np.argsort(CHOICES[choice](classifier, pool[others], random), kind="stable")
        labelled = np.concatenate([labelled, others[order[:STEP]]])
    return result


def main():
    for title, noise in (("Digits only", 0), ("Half of the pool is noise", 1000)):
        table = {choice: np.mean([errors(choice, seed, noise) for seed in range(SEEDS)], axis=0) for choice in CHOICES}
        print(f"{title}: error on test rows\nlabels  " + "".join(f"{choice:>15}" for choice in CHOICES))
        for k in range(ROUNDS + 1):
            print(f"{START + k * STEP:<8}" + "".join(f"{table[choice][k]:>15.1%}" for choice in CHOICES))


if __name__ == "__main__":
    main()
