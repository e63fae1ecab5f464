#!/usr/bin/env python3
"""Trains the tables of crates/page/src/relocate (docs/relocation.md has the commands).

  relocation.py rank FEATURES --folds FOLDS          trees that rank candidates, from `bench drift --features FEATURES`
  relocation.py certainty FEATURES --folds FOLDS --output FILE
                                                     how sure the best candidate is, from `bench drift --features FEATURES
                                                     --folds FOLDS`: ranked by trees that did not see the site

`rank` writes FOLDS/fold0.bin to fold4.bin, each trained without the sites of its fold, and FOLDS/all.bin; `certainty` adds the
second part to each, and writes all.bin with it to FILE. Every number printed is out of fold.
"""
import argparse
import json
import struct
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import lightgbm as lgb
import numpy as np
from sklearn.linear_model import LogisticRegression

warnings.filterwarnings("ignore")
MAGIC = b"autoheal-relocate-1\n"
RIGHT = 0.9
# How much the weights by hand count next to the trees; the same numbers stand in rank.rs.
HAND = {"single": 1.0, "list": 0.1}
MODES = {"forward": 1.0, "reverse": 0.6, "deleted": 0.5, "reverse_deleted": 0.3}
# Columns that say "it is called as before": on fields whose selector still works they would teach that nothing changes.
NAMES = [
    "own_names_covered", "own_names_overlap", "near_names_covered", "near_names_overlap", "all_names_covered",
    "all_names_overlap", "marks_covered", "marks_shared", "around_names_covered", "around_names_overlap",
    "container_names_covered", "container_names_overlap",
]
RANK = {
    "single": dict(num_leaves=15, learning_rate=0.08, min_data_in_leaf=25, feature_fraction=0.5, lambda_l2=3, trees=150),
    "list": dict(num_leaves=15, learning_rate=0.08, min_data_in_leaf=25, feature_fraction=0.5, lambda_l2=3, trees=150),
}
# Boosters that differ in their samples; their mean is steadier than one.
BOOSTERS = 2
# Small trees for the certainty, beside its weights: there are only some thousand fields to learn from.
CERTAINTY = dict(num_leaves=6, learning_rate=0.05, min_data_in_leaf=30, feature_fraction=0.4, lambda_l2=10, trees=100)
CERTAINTY_BOOSTERS = 3


def load(folder):
    folder = Path(folder)
    names = json.loads((folder / "names.json").read_text())
    samples = [json.loads(line) for line in (folder / "samples.jsonl").open()]
    rows = {}
    for part in ("single", "list"):
        rows[part] = np.memmap(folder / f"{part}.f32", dtype="<f4", mode="r").reshape(-1, len(names[part]))
    for sample in samples:
        part = sample["part"] = "list" if sample["list"] else "single"
        first, count = sample["first_row"], len(sample["labels"])
        sample["rows"] = rows[part][first : first + count]
        sample["labels"] = np.array(sample["labels"], dtype=np.float32)
        sample["hand"] = np.array(sample["hand"], dtype=np.float32)
    return names, samples


def fingerprint(names):
    number = 0xCBF29CE484222325
    for byte in "\n".join(names).encode() + b"\xff":
        number = ((number ^ byte) * 0x100000001B3) % 2**64
    return number


class Table:
    """A constant, weights, and a share of the mean of several boosters' trees, as tables.rs reads them."""

    def __init__(self, names, constant=0.0, weights=(), boosters=(), share=1.0):
        self.names, self.constant, self.weights, self.boosters = names, constant, list(weights), list(boosters)
        self.share = share

    def odds(self, rows):
        total = rows @ np.array(self.weights) if self.weights else np.zeros(len(rows))
        trees = [booster.predict(rows, raw_score=True) for booster in self.boosters]
        return total + self.constant + (self.share * np.mean(trees, axis=0) if trees else 0)

    def to_bytes(self):
        parts = [struct.pack("<QfH", fingerprint(self.names), self.constant, len(self.weights))]
        parts += [struct.pack("<f", weight) for weight in self.weights]
        trees = [tree for booster in self.boosters for tree in booster.dump_model()["tree_info"]]
        parts.append(struct.pack("<H", len(trees)))
        parts += [self.tree(tree["tree_structure"]) for tree in trees]
        return b"".join(parts)

    def tree(self, root):
        splits, leaves = [], []

        def visit(node):
            if "leaf_value" in node:
                leaves.append(self.share * node["leaf_value"] / len(self.boosters))
                return 128 + len(leaves) - 1
            place = len(splits)
            splits.append(None)
            low, high = visit(node["left_child"]), visit(node["right_child"])
            assert node["decision_type"] == "<=" and len(splits) < 128
            splits[place] = struct.pack("<BfBB", node["split_feature"], node["threshold"], low, high)
            return place

        visit(root)
        return struct.pack("<B", len(splits)) + b"".join(splits) + b"".join(struct.pack("<f", leaf) for leaf in leaves)


def tables_bytes(threshold, tables):
    return MAGIC + struct.pack("<f", threshold) + b"".join(tables)


def odds(probability):
    probability = np.clip(probability, 1e-4, 1 - 1e-4)
    return np.log(probability / (1 - probability))


def probability(odds_):
    return 1 / (1 + np.exp(-odds_))


def weight_of(sample, unbroken=0.35):
    return MODES[sample["mode"]] * (1.0 if sample["broken"] else unbroken)


def training_rows(samples, names, part, generator, most=90):
    rows, labels, weights = [], [], []
    called = [place for place, name in enumerate(names[part]) if name in NAMES]
    for sample in samples:
        right = np.flatnonzero(sample["labels"] >= RIGHT)
        wrong = np.flatnonzero(sample["labels"] < RIGHT)
        if len(wrong) > most:
            if part == "list":
                near = wrong[sample["labels"][wrong] > 0.3]
                far = wrong[sample["labels"][wrong] <= 0.3]
                near = near if len(near) <= most // 2 else generator.choice(near, most // 2, replace=False)
                wrong = np.concatenate([near, generator.choice(far, min(len(far), most - len(near)), replace=False)])
            else:
                wrong = generator.choice(wrong, most, replace=False)
        own = np.array(sample["rows"])
        if not sample["broken"] and generator.random() < 0.7:
            own[:, called] = 0
        for places, label in ((right, 1), (wrong, 0)):
            if len(places):
                rows.append(own[places])
                labels.append(np.full(len(places), label, np.float32))
                share = len(places) ** -(0.7 if label else 0.5)
                weights.append(np.full(len(places), weight_of(sample) * share, np.float32))
    return np.vstack(rows), np.concatenate(labels), np.concatenate(weights)


def boost(rows, labels, weights, settings, seed=1):
    settings = dict(settings)
    trees = settings.pop("trees")
    settings |= dict(objective="binary", bagging_fraction=0.7, bagging_freq=1, verbose=-1, num_threads=1, seed=seed, deterministic=True)
    return lgb.train(settings, lgb.Dataset(rows, labels, weight=weights / weights.mean()), trees)


def blended(table, sample):
    if not len(sample["labels"]):
        return np.zeros(0)
    share = HAND[sample["part"]]
    raw = np.clip(table.odds(sample["rows"]), -odds(1.0), odds(1.0))
    return (raw + share * np.clip(sample["hand"], -20, 20)) / (1 + share / 2)


def rank_fold(folder, part, fold):
    """Trees without the sites of a fold, and whether their best candidate for its broken fields is right."""
    names, samples = load(folder)
    own = [sample for sample in samples if sample["part"] == part and len(sample["labels"])]
    # Fields deleted from pages on which nothing else is broken teach the certainty, not the ranking.
    seen = [s for s in own if s["fold"] != fold and (s["broken"] or s["mode"] == "forward")]
    boosters = []
    for seed in range(BOOSTERS):
        generator = np.random.default_rng(100 * seed + (99 if fold is None else fold))
        boosters.append(boost(*training_rows(seen, names, part, generator), RANK[part], seed))
    table = Table(names[part], boosters=boosters)
    found = []
    for sample in own:
        if sample["fold"] == fold and sample["broken"] and sample["mode"] == "forward":
            found.append(sample["labels"][int(np.argmax(blended(table, sample)))] >= RIGHT)
    return table.to_bytes(), found


def rank(arguments):
    names, samples = load(arguments.features)
    folds = Path(arguments.folds)
    folds.mkdir(parents=True, exist_ok=True)
    keys = [(part, fold) for part in ("single", "list") for fold in [*range(names["folds"]), None]]
    with ProcessPoolExecutor(max_workers=2) as pool:
        trained = dict(zip(keys, pool.map(rank_fold, *zip(*[(arguments.features, *key) for key in keys]))))
    for part in ("single", "list"):
        found = [right for (other, _), (_, all_found) in trained.items() if other == part for right in all_found]
        own = [s for s in samples if s["part"] == part and s["broken"] and s["mode"] == "forward" and len(s["labels"])]
        reachable = np.mean([sample["labels"].max() >= RIGHT for sample in own])
        print(f"{part}: best candidate right {np.mean(found):.3f} of {len(found)}, reachable {reachable:.3f}")
    for fold in [*range(names["folds"]), None]:
        empty = Table(names["certainty"]).to_bytes()
        tables = [trained["single", fold][0], trained["list", fold][0], empty, empty]
        name = "all" if fold is None else f"fold{fold}"
        (folds / f"{name}.bin").write_bytes(tables_bytes(0.7, tables))


def certainty_rows(samples):
    rows = np.array([sample["certainty"] for sample in samples], dtype=np.float32)
    labels = np.array([sample["labels"][0] >= RIGHT for sample in samples], dtype=np.float32)
    weights = np.array([weight_of(sample, 0.4) for sample in samples], dtype=np.float32)
    return rows, labels, weights


def sure(samples, names):
    """The mean of weights found by logistic regression and of small trees: out of fold, as many right and fewer deleted accepted
    than by either alone."""
    rows, labels, weights = certainty_rows(samples)
    mean, scale = rows.mean(0), rows.std(0) + 1e-6
    linear = LogisticRegression(C=0.005, max_iter=3000).fit((rows - mean) / scale, labels, sample_weight=weights / weights.mean())
    coefficients = linear.coef_[0] / scale
    constant = float(linear.intercept_[0] - (coefficients * mean).sum())
    boosters = [boost(rows, labels, weights, CERTAINTY, seed) for seed in range(CERTAINTY_BOOSTERS)]
    return Table(names["certainty"], constant / 2, coefficients / 2, boosters, share=0.5)


def curve(samples, confidence):
    """Right, wrong and deleted accepted over the threshold, of fields whose selector finds nothing."""
    broken = [(c, s["labels"][0] >= RIGHT) for s, c in zip(samples, confidence) if s["broken"] and s["mode"] == "forward"]
    deleted = [c for s, c in zip(samples, confidence) if s["broken"] and s["mode"] == "deleted"]
    count = len(broken)
    print("threshold  right  wrong  deleted accepted")
    for threshold in (0, 0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95):
        right = sum(ok for c, ok in broken if c >= threshold) / count
        wrong = sum(not ok for c, ok in broken if c >= threshold) / count
        print(f"  {threshold:.2f}   {right:6.3f} {wrong:6.3f} {sum(c >= threshold for c in deleted) / len(deleted):6.3f}")
    ordered = sorted(broken, key=lambda pair: -pair[0])
    for most in (0.02, 0.03, 0.04, 0.05):
        wrong = right = best = 0
        at = 1.0
        for c, ok in ordered:
            right, wrong = right + ok, wrong + (not ok)
            if wrong <= most * count:
                best, at = right / count, c
        accepted = sum(c >= at for c in deleted) / len(deleted)
        print(f"wrong <= {most:.0%}: right {best:.3f} at {at:.2f}, deleted accepted {accepted:.3f}")


def certainty(arguments):
    names, samples = load(arguments.features)
    folds = Path(arguments.folds)
    samples = [sample for sample in samples if len(sample["certainty"])]
    confidence = np.zeros(len(samples))
    for fold in [*range(names["folds"]), None]:
        tables = []
        for part in ("single", "list"):
            table = sure([s for s in samples if s["part"] == part and s["fold"] != fold], names)
            tables.append(table)
            for place, sample in enumerate(samples):
                if sample["part"] == part and sample["fold"] == fold:
                    confidence[place] = probability(table.odds(np.array([sample["certainty"]], dtype=np.float32)))[0]
        name = "all" if fold is None else f"fold{fold}"
        file = folds / f"{name}.bin"
        trained = file.read_bytes()
        ranking = trained[len(MAGIC) + 4 : with_ranking(trained, names)]
        both = MAGIC + struct.pack("<f", arguments.threshold) + ranking + b"".join(table.to_bytes() for table in tables)
        file.write_bytes(both)
        if fold is None:
            Path(arguments.output).write_bytes(both)
    for part in ("single", "list", None):
        chosen = [place for place, sample in enumerate(samples) if part in (None, sample["part"])]
        print(part or "all")
        curve([samples[place] for place in chosen], confidence[chosen])


def with_ranking(data, names):
    """Where the first two tables end."""
    place = len(MAGIC) + 4
    for _ in range(2):
        place += 12
        (weights,) = struct.unpack_from("<H", data, place)
        place += 2 + 4 * weights
        (trees,) = struct.unpack_from("<H", data, place)
        place += 2
        for _ in range(trees):
            splits = data[place]
            place += 1 + 7 * splits + 4 * (splits + 1)
    return place


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, work in (("rank", rank), ("certainty", certainty)):
        command = commands.add_parser(name)
        command.add_argument("features")
        command.add_argument("--folds", required=True)
        if name == "certainty":
            command.add_argument("--output", required=True)
            command.add_argument("--threshold", type=float, default=0.75)
        command.set_defaults(work=work)
    arguments = parser.parse_args()
    arguments.work(arguments)


if __name__ == "__main__":
    sys.exit(main())
