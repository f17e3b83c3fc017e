"""Decision trees, forests and perceptrons of scikit-learn as integer C99, with a twin in NumPy that answers the same.

Each generator yields (name, integer columns of the test rows, text of net.h, text of net.c, answers of the twin).
"""
import warnings

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier
from sklearn.tree import DecisionTreeClassifier

DEPTHS = (4, 6, 8, 10, None)
FORESTS = ((4, 6), (8, 8), (8, 12), (16, 10), (16, None), (32, 12))  # trees, depth
HIDDEN = (8, 16, 32, 64)
EPOCHS_TIMES_ROWS = 800_000  # of perceptrons, within MIN_EPOCHS and MAX_EPOCHS
MIN_EPOCHS, MAX_EPOCHS = 100, 300

LEAF = 0x8000  # and above: a child that is a leaf
STEPS_PER_DEVIATION = 32  # of standardised columns in int8: they end at 4 standard deviations
MIN_DEVIATION = 0.125  # of columns of whole numbers, so that multipliers fit 16 bits


def is_whole(x):
    return bool((x == np.round(x)).all() and x.min() >= 0 and x.max() <= 255)


def header(kind, columns):
    return (f"#include <stdint.h>\n#define NET_COLUMNS {columns}\ntypedef {kind}_t net_column;\n"
            "int net_predict(const net_column x[NET_COLUMNS]);\n")


def table(kind, name, values):
    values = np.asarray(values)
    rows = "\n".join(",".join(map(str, part)) + "," for part in np.array_split(values.ravel(), values.size // 24 + 1))
    return f"static const {kind} {name}[{values.size}] = {{\n{rows}\n}};\n"


# Trees and forests


def integer_columns(train, test):
    """Whole numbers as they are; others in 16 bits by the largest size of the column in training."""
    if is_whole(train) and is_whole(test):
        return "uint8", train.astype(int), test.astype(int)
    step = np.maximum(np.abs(train).max(0), 1e-30) / 32767
    return "int16", *(np.clip(np.round(x / step), -32768, 32767).astype(int) for x in (train, test))


def nodes_of(tree, leaf_of):
    """Inner nodes in the order of their numbers: feature, threshold, two children, which may be LEAF + what leaf_of says."""
    inner = np.flatnonzero(tree.children_left >= 0)
    place = np.full(tree.node_count, -1)
    place[inner] = np.arange(len(inner))
    pairs = np.column_stack([tree.children_left, tree.children_right])[inner]
    child = [[place[c] if place[c] >= 0 else LEAF + leaf_of(c) for c in pair] for pair in pairs]
    nodes = np.column_stack([child, tree.feature[inner], np.floor(tree.threshold[inner]).astype(int)])
    if len(inner) >= LEAF or nodes[:, :2].max() >= 2 * LEAF:
        raise ValueError("too many nodes for 16 bits")
    return nodes


def leaves_of(nodes, x):
    at = np.zeros(len(x), dtype=int)
    rows = np.arange(len(x))
    while (at < LEAF).any():
        node = nodes[np.where(at < LEAF, at, 0)]
        step = node[rows, (x[rows, node[:, 2]] > node[:, 3]).astype(int)]
        at = np.where(at < LEAF, step, at)
    return at - LEAF


WALK = """
static uint16_t net_leaf(const net_node *nodes, const net_column *x) {
    uint16_t at = 0;
    do {
        const net_node *node = &nodes[at];
        at = node->child[x[node->feature] > node->threshold];
    } while (at < 0x8000u);
    return (uint16_t)(at - 0x8000u);
}
"""


def nodes_text(nodes):
    text = ",\n".join("{{%d,%d},%d,%d}" % tuple(node) for node in nodes)
    return ("typedef struct {\n    uint16_t child[2];\n    uint8_t feature;\n    net_column threshold;\n} net_node;\n"
            f"static const net_node net_nodes[{len(nodes)}] = {{\n{text}\n}};\n{WALK}")


def tree_code(model, x):
    tree = model.tree_
    nodes = nodes_of(tree, lambda node: int(tree.value[node].argmax()))
    code = nodes_text(nodes) + "int net_predict(const net_column x[NET_COLUMNS]) {\n    return net_leaf(net_nodes, x);\n}\n"
    return code, leaves_of(nodes, x)


VOTES = """    net_votes[net_leaf(&net_nodes[net_roots[t]], x)]++;"""
SHARES = """    const uint8_t *share = &net_shares[net_leaf(&net_nodes[net_roots[t]], x) * CLASSES];
        for (k = 0; k < CLASSES; k++) {
            net_votes[k] = (uint16_t)(net_votes[k] + share[k]);
        }"""
FOREST = """
int net_predict(const net_column x[NET_COLUMNS]) {
    uint16_t net_votes[CLASSES];
    int best = 0;
    int k, t;
    for (k = 0; k < CLASSES; k++) {
        net_votes[k] = 0;
    }
    for (t = 0; t < TREES; t++) {
    ADD
    }
    for (k = 1; k < CLASSES; k++) {
        if (net_votes[k] > net_votes[best]) {
            best = k;
        }
    }
    return best;
}
"""


def forest_code(model, x, votes):
    """Leaves either vote for their class, or add their classes' shares in 255ths; equal leaves are stored once."""
    classes = model.n_classes_
    trees = [each.tree_ for each in model.estimators_]
    rows, shares = {}, []

    def leaf_of(tree):
        def number(node):
            value = tree.value[node][0]
            if votes:
                return int(value.argmax())
            share = tuple(np.round(255 * value / value.sum()).astype(int))
            if share not in rows:
                rows[share] = len(shares)
                shares.append(share)
            return rows[share]
        return number

    nodes = [nodes_of(tree, leaf_of(tree)) for tree in trees]
    unit = np.eye(classes, dtype=int) if votes else np.array(shares)
    total = sum(unit[leaves_of(each, x)] for each in nodes)
    roots = np.cumsum([0] + [len(each) for each in nodes[:-1]])
    code = nodes_text(np.concatenate(nodes)) + table("uint32_t" if roots[-1] > 65535 else "uint16_t", "net_roots", roots)
    code += "" if votes else table("uint8_t", "net_shares", shares)
    code += FOREST.replace("ADD", VOTES if votes else SHARES).replace("CLASSES", str(classes)).replace("TREES", str(len(trees)))
    return code, total.argmax(1)


def trees(train, y, test):
    kind, x, rows = integer_columns(train, test)
    top = header(kind, x.shape[1])
    for depth in DEPTHS:
        code, answers = tree_code(DecisionTreeClassifier(max_depth=depth, random_state=0).fit(x, y), rows)
        yield f"depth {depth or 'any'}", rows, top, code, answers


def forests(train, y, test):
    kind, x, rows = integer_columns(train, test)
    top = header(kind, x.shape[1])
    for count, depth in FORESTS:
        model = RandomForestClassifier(count, max_depth=depth, random_state=0).fit(x, y)
        for votes in (True, False):
            code, answers = forest_code(model, rows, votes)
            yield f"{count} x depth {depth or 'any'}, {'votes' if votes else 'shares'}", rows, top, code, answers


# Perceptrons


class Int8Perceptron:
    """Weights int8 (layer 1: a scale per neuron), hidden activations 0 .. 127, sums int32; argmax of the last sums.

    standardise: None, or (multiplier, offset) of whole columns x: (x * multiplier + offset) >> 8 in int8 is what layer 1 reads.
    """

    def __init__(self, w1, b1, w2, b2, input_step, hidden_step, standardise=None):
        self.standardise = standardise
        s1 = np.maximum(np.abs(w1).max(1), 1e-12) / 127
        s2 = np.abs(w2).max() / 127
        ratio = input_step * s1 / hidden_step  # of a sum of layer 1 to an activation
        self.multiplier = np.minimum(np.round(ratio * 2**32), 2**31 - 1).astype(np.int64)
        self.w1 = np.round(w1 / s1[:, None]).astype(np.int64)
        self.b1 = np.round((b1 / hidden_step + 0.5) / ratio).clip(-2**30, 2**30).astype(np.int64)  # 0.5: rounding
        self.w2 = np.round(w2 / s2).astype(np.int64)
        self.output_step = s2 * hidden_step
        self.b2 = np.round(b2 / self.output_step).astype(np.int64)

    def inputs(self, x):
        if self.standardise is None:
            return x
        multiplier, offset = self.standardise
        return np.clip((x * multiplier + offset) >> 8, -127, 127)

    def sums(self, x):
        hidden = np.clip(((self.b1 + self.inputs(x) @ self.w1.T) * self.multiplier) >> 32, 0, 127)
        return self.b2 + hidden @ self.w2.T

    def outputs(self, x):
        return self.sums(x) * self.output_step

    def answers(self, x):
        sums = self.sums(x)
        return (sums[:, 0] > 0).astype(int) if sums.shape[1] == 1 else sums.argmax(1)

    def code(self, kind):
        (hidden, columns), outputs = self.w1.shape, len(self.w2)
        text = table("int8_t", "net_w1", self.w1) + table("int32_t", "net_b1", self.b1) + table("int32_t", "net_m1", self.multiplier)
        text += table("int8_t", "net_w2", self.w2) + table("int32_t", "net_b2", self.b2)
        read, source, value = "", "x", kind
        if self.standardise is not None:
            text += table("uint16_t", "net_multiplier", self.standardise[0]) + table("int32_t", "net_offset", self.standardise[1])
            read, source, value = STANDARDISE, "z", "int8"
        words = {"READ": read, "SOURCE": source, "VALUE": f"{value}_t", "HIDDEN": str(hidden), "OUTPUTS": str(outputs),
                 "COUNT": str(columns), "ANSWER": "best_sum > 0" if outputs == 1 else "best"}
        code = PERCEPTRON
        for word, replacement in words.items():
            code = code.replace(word, replacement)
        return text + code


STANDARDISE = """    int8_t z[COUNT];
    for (k = 0; k < COUNT; k++) {
        int32_t v = (x[k] * (int32_t)net_multiplier[k] + net_offset[k]) >> 8;
        z[k] = (int8_t)((v > 127) ? 127 : (v < -127) ? -127 : v);
    }
"""
PERCEPTRON = """
static int32_t net_dot(const int8_t *w, const VALUE *q, int count, int32_t sum) {
    for (; count >= 4; count -= 4) {
        sum += w[0] * q[0] + w[1] * q[1] + w[2] * q[2] + w[3] * q[3];
        w += 4;
        q += 4;
    }
    for (; count > 0; count--) {
        sum += *w++ * *q++;
    }
    return sum;
}

int net_predict(const net_column x[NET_COLUMNS]) {
    VALUE hidden[HIDDEN];
    int32_t best_sum = INT32_MIN;
    int best = 0;
    int k;
READ    for (k = 0; k < HIDDEN; k++) {
        const int32_t sum = net_dot(&net_w1[k * COUNT], SOURCE, COUNT, net_b1[k]);
        const int32_t a = (int32_t)(((int64_t)sum * net_m1[k]) >> 32);
        hidden[k] = (VALUE)((a < 0) ? 0 : (a > 127) ? 127 : a);
    }
    for (k = 0; k < OUTPUTS; k++) {
        const int32_t sum = net_dot(&net_w2[k * HIDDEN], hidden, HIDDEN, net_b2[k]);
        if (sum > best_sum) {
            best_sum = sum;
            best = k;
        }
    }
    (void)best;
    return ANSWER;
}
"""


def quantised(mlp, x, z, form):
    """Hidden activations end at one of three percentiles: that whose outputs on the training rows are closest to the float's."""
    w1, b1, w2, b2 = mlp.coefs_[0].T, mlp.intercepts_[0], mlp.coefs_[1].T, mlp.intercepts_[1]
    activations = np.maximum(0, z @ w1.T + b1)
    outputs = activations @ w2.T + b2
    steps = [max(np.percentile(activations, percentile), 1e-6) / 127 for percentile in (99, 99.9, 100)]
    networks = [form(w1, b1, w2, b2, step) for step in steps]
    return min(networks, key=lambda network: float(((network.outputs(x) - outputs) ** 2).mean()))


def perceptrons(train, y, test):
    """Of columns in int8, standardised by the caller; whole columns are raw, and standardised by the code or by the weights."""
    mean, deviation = train.mean(0), train.std(0)
    if is_whole(train) and is_whole(test):
        kind, x, rows = "uint8", train.astype(int), test.astype(int)
        deviation = np.maximum(deviation, MIN_DEVIATION)
        z = (train - mean) / deviation
        multiplier = np.minimum(np.round(256 * STEPS_PER_DEVIATION / deviation), 65535).astype(int)
        standardise = (multiplier, np.round(128 - mean * multiplier).astype(int))
        forms = {", folded": lambda w1, b1, *w: Int8Perceptron(w1 / deviation, b1 - w1 @ (mean / deviation), *w[:2], 1, w[2]),
                 ", standardised": lambda *w: Int8Perceptron(*w[:4], 1 / STEPS_PER_DEVIATION, w[4], standardise)}
    else:
        kind = "int8"
        step = np.maximum(deviation, 1e-12) / STEPS_PER_DEVIATION
        x, rows = (np.clip(np.round((part - mean) / step), -127, 127).astype(int) for part in (train, test))
        z = x / STEPS_PER_DEVIATION
        forms = {"": lambda *w: Int8Perceptron(*w[:4], 1 / STEPS_PER_DEVIATION, w[4])}
    epochs = int(np.clip(EPOCHS_TIMES_ROWS // len(y), MIN_EPOCHS, MAX_EPOCHS))
    for hidden in HIDDEN:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            mlp = MLPClassifier((hidden,), max_iter=epochs, random_state=0).fit(z, y)
        for name, form in forms.items():
            network = quantised(mlp, x, z, form)
            yield f"{hidden} hidden{name}", rows, header(kind, x.shape[1]), network.code(kind), network.answers(rows)


FAMILIES = {"decision tree": trees, "random forest": forests, "int8 perceptron": perceptrons}
