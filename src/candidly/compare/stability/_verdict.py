"""The report's first sentence, and the one after it."""

from __future__ import annotations

from collections.abc import Sequence

from ...ground.numbers import count_of


def verdict(
    sizes: dict[str, int | None],
    ranks_original: Sequence[int],
    ranks_corrected: Sequence[int],
    names: Sequence[str],
    secure: int,
    budget: int | None,
    together: Sequence[tuple[int, int]],
    established: Sequence[float],
    versions: int = 2,
) -> tuple[str, str]:
    """What the numbers say, in one sentence, and what they leave open, in another or ''.

    Args:
        sizes: the sizes of the sets, by letter.
        ranks_original, ranks_corrected: (R,), in any one order of models.
        names: in that order.
        secure: how many first places are settled.
        budget: wrong labels that cannot change them; None: no number of them can.
        together: runs of ranks within which tests leave the order open.
        established: prevalences of the established crossings beyond the one there is.
        versions: the versions of the labels; of one nothing moves and nothing crosses.
    """
    told, left = [_secure(secure, budget, names)], []
    if versions == 2:
        told.insert(0, _moved(sizes, ranks_original, ranks_corrected, names))
    if together:
        runs = ["–".join(str(rank) for rank in run) for run in together]
        left.append(f"within ranks {_listed(runs)} tests leave the order open")
    if versions == 2:
        left.append(_crossed(established))
    if not any(told):  # then what is open is the answer
        told, left = left[:1], left[1:]
    return _sentence(told), _sentence(left)


def _sentence(parts: Sequence[str]) -> str:
    text = "; ".join(filter(None, parts))
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _moved(
    sizes: dict[str, int | None],
    before: Sequence[int],
    after: Sequence[int],
    names: Sequence[str],
) -> str:
    changed, pruned = sizes["C"], sizes["U"]
    if not changed and not pruned:
        return "no label was changed or pruned, so the ranking is as it was"
    done = [f"correcting {changed:,}" if changed else "", f"pruning {pruned:,}" if pruned else ""]
    what = f"{' and '.join(d for d in done if d)} of {sizes['D']:,} labels"
    moves = [abs(a - b) for a, b in zip(before, after)]
    if not any(moves):
        return f"{what} leaves the ranking of {len(names)} models as it was"
    places = f"{max(moves)} place{'s' if max(moves) > 1 else ''}"
    text = f"{what} moves {sum(m > 0 for m in moves)} of {len(names)} models by up to {places}"
    old, new = (_firsts(names, ranks) for ranks in (before, after))
    return text if old == new else f"{text} and puts {new} first instead of {old}"


def _firsts(names: Sequence[str], ranks: Sequence[int]) -> str:
    return _listed([name for name, rank in zip(names, ranks) if rank == 1])


def _secure(secure: int, budget: int | None, names: Sequence[str]) -> str:
    if not secure:
        return ""
    if secure == len(names):
        what = "the whole ranking is"
    else:
        what = "the first place is" if secure == 1 else f"the top {secure} are"
    if budget is None:
        return f"{what} secure whatever the labels that nobody checked"
    return f"{what} secure against up to {count_of(budget, 'wrong label')}"


def _crossed(established: Sequence[float]) -> str:
    if not established:
        return "no crossing is established as wrong labels become more frequent"
    count = len(established)
    what = "1 crossing is" if count == 1 else f"{count:,} crossings are"
    first = f"{100 * min(established):.1f} % wrong labels"
    return f"{what} established, {'at' if count == 1 else 'the first at'} {first}"


def _listed(texts: Sequence[str]) -> str:
    *most, last = texts
    return f"{', '.join(most)} and {last}" if most else last
