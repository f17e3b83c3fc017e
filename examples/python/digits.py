"""Handwritten digits: fit, and look at what comes out. Needs scikit-learn."""
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from bitbayes import BitBayesClassifier

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.25, random_state=0, stratify=y)

classifier = BitBayesClassifier(random_state=1).fit(X_train, y_train)
print(f"Bayes average  {classifier.score(X_test, y_test):.2%} right")

clipped = classifier.clip()  # one bit per weight, whole numbers only
print(f"clipped        {clipped.score(X_test, y_test):.2%} right")

upside_down = X_test[:, ::-1]  # hardly any digit is one upside down
print(f"validity       {classifier.validity(X_test).mean():.2f} of digits, "
      f"{classifier.validity(upside_down).mean():.2f} of digits upside down")
classifier.save("digits.bb", overwrite=True)  # `bitbayes info digits.bb` reads it
