"""The example ``answers``: what is said of its people is so."""

from __future__ import annotations

import collections

from candidly.data.examples import answers


def said_by(who: str) -> dict[str, collections.Counter]:
    """What somebody says of each kind, as it really is."""
    kind = dict(zip(answers.names(), answers.truth(), strict=True))
    found: dict[str, collections.Counter] = {name: collections.Counter() for name in answers.KINDS}
    for item, person, said in answers.answers():
        if person == who:
            found[kind[item]][said] += 1
    return found


def right(who: str) -> float:
    said = said_by(who)
    return sum(said[k][k] for k in said) / sum(c.total() for c in said.values())


def test_each_leaf_has_three_answers_of_different_people():
    given = collections.defaultdict(list)
    for item, person, _ in answers.answers():
        given[item].append(person)
    assert list(given) == answers.names()
    assert all(len(set(people)) == len(people) == 3 for people in given.values())


def test_one_guesses_one_swaps_two_kinds_one_is_new_and_the_others_are_good():
    count = collections.Counter(person for _, person, _ in answers.answers())
    assert len(count) == 12
    assert count[answers.NEW] < 15 < 60 < min(n for who, n in count.items() if who != answers.NEW)
    assert right(answers.GUESSES) < 0.4
    swapped = said_by(answers.SWAPS)
    assert swapped["oak"].most_common(1)[0][0] == "ash"
    assert swapped["ash"].most_common(1)[0][0] == "oak"
    good = set(count) - {answers.GUESSES, answers.SWAPS, answers.NEW}
    assert min(right(who) for who in good) > 0.7


def test_a_hornbeam_is_taken_for_a_beech_by_most():
    taken = [said_by(who)["hornbeam"] for who in answers.RIGHT if who != answers.GUESSES]
    as_beech = sum(said["beech"] for said in taken) / sum(said.total() for said in taken)
    assert 0.25 < as_beech < 0.45
    assert sum(said["beech"] >= 3 for said in taken) >= 8


def test_the_expert_is_right_about_sixty_leaves():
    kind = dict(zip(answers.names(), answers.truth(), strict=True))
    checked = answers.checked()
    assert len(checked) == len(dict(checked)) == 60
    assert all(kind[item] == label for item, label in checked)
    assert [row[0] for row in answers.leaves()] == answers.names()
