"""MDAV as Algorithm 5.1 reads, in plain numpy and with exact sums: slow and obvious."""

import math
import statistics

import numpy as np


def twin_mdav(points, k):
    none = np.empty((len(points), 0), int)
    return twin_mixed(points, none, np.empty(0), none, k)


def twin_mixed(points, ranks, ranges, codes, k, average="median"):
    n = len(points)
    labels, left, label = np.empty(n, int), list(range(n)), 0
    records = [np.asarray(part) for part in (points, ranks, codes)]
    ordinal = statistics.median_low if average == "median" else twin_convex_median

    def mean():
        return (
            [math.fsum(column) / len(left) for column in points[left].T],
            [ordinal(column.tolist()) for column in ranks[left].T],
            [int(np.argmax(np.bincount(column))) for column in codes[left].T],
        )

    def squared(centre):
        total = np.zeros(len(left))
        for j, value in enumerate(centre[0]):
            total += (points[left, j] - value) ** 2
        for j, value in enumerate(centre[1]):
            total += ((ranks[left, j] - value) / ranges[j]) ** 2
        for j, value in enumerate(centre[2]):
            total += codes[left, j] != value
        return total

    def farthest(centre):
        return left[int(np.argmax(squared(centre)))]  # the first among equals

    def take(seed):
        nonlocal label
        left.remove(seed)
        order = np.argsort(squared([part[seed] for part in records]), kind="stable")[: k - 1]
        group = [seed] + [left[i] for i in order]
        labels[group] = label
        label += 1
        left[:] = sorted(set(left) - set(group))

    while len(left) >= 3 * k:
        r = farthest(mean())
        take(r)
        take(farthest([part[r] for part in records]))
    if len(left) >= 2 * k:
        take(farthest(mean()))
    labels[left] = label
    return labels


def twin_convex_median(values):
    f = np.bincount(values)
    convex = [min(f[: i + 1].max(), f[i:].max()) for i in range(len(f))]
    return statistics.median_low(np.repeat(np.arange(len(f)), convex).tolist())


def twin_variable(points, k, gamma):  # noqa: C901, as one reads the paper
    n = len(points)
    labels, left, groups = np.full(n, -1), list(range(n)), []
    centre = np.array([math.fsum(column) / n for column in points.T])

    def squared(a, b):
        total = 0.0
        for x, y in zip(a, b, strict=True):
            total += (x - y) ** 2
        return total

    def to_group(e):
        return min(squared(points[e], points[g]) for g in group)

    while len(left) >= k:
        seed = max(left, key=lambda e: (squared(points[e], centre), -e))
        left.remove(seed)
        near = sorted(left, key=lambda e: (squared(points[e], points[seed]), e))[: k - 1]
        group = [seed, *near]
        groups.append(group)
        left = [e for e in left if e not in near]
        while len(left) > 1 and len(group) < 2 * k - 1:
            room = sum(2 * k - 1 - len(g) for g in groups) - 1
            if room < len(left) - 1 < k:
                break
            e = min(left, key=lambda e: (to_group(e), e))
            others = min(squared(points[e], points[o]) for o in left if o != e)
            if not math.sqrt(to_group(e)) < gamma * math.sqrt(others):
                break
            group.append(e)
            left.remove(e)
    for label, group in enumerate(groups):
        labels[group] = label
    dealt = {}
    for e in sorted(left):
        open_ = [i for i in range(n) if labels[i] >= 0 and len(groups[labels[i]]) < 2 * k - 1]
        nearest = min(open_, key=lambda i: (squared(points[e], points[i]), i))
        dealt[e] = labels[nearest]
        groups[labels[nearest]].append(e)
    for e, label in dealt.items():
        labels[e] = label
    return labels


def twin_exchange(points, labels, k, around=20):
    """Every step tried and the sums of squares taken afresh: exact but for rounding."""
    labels = np.array(labels)
    groups = labels.max() + 1

    def squares(members):
        inside = points[sorted(members)]
        return float(((inside - inside.mean(axis=0)) ** 2).sum())

    members = [set(np.flatnonzero(labels == g).tolist()) for g in range(groups)]
    centres = np.array([points[sorted(m)].mean(axis=0) for m in members])
    near = [
        sorted((float(((centres[g] - centres[h]) ** 2).sum()), h) for h in range(groups) if h != g)
        for g in range(groups)
    ]
    changed = True
    while changed:
        changed = False
        for i in range(len(points)):
            a = labels[i]
            found = []
            for _, b in near[a][:around]:
                held = squares(members[a]) + squares(members[b])
                if len(members[a]) > k and len(members[b]) < 2 * k - 1:
                    found.append(
                        (squares(members[a] - {i}) + squares(members[b] | {i}) - held, b, None)
                    )
                found += [
                    (
                        squares((members[a] - {i}) | {j})
                        + squares((members[b] - {j}) | {i})
                        - held,
                        b,
                        j,
                    )
                    for j in sorted(members[b])
                ]
            gain, b, j = min(found, key=lambda step: step[0], default=(0.0, None, None))
            if gain < -1e-9:
                members[a] ^= {i} if j is None else {i, j}
                members[b] ^= {i} if j is None else {i, j}
                labels[i] = b
                if j is not None:
                    labels[j] = a
                changed = True
    return labels
