"""How events are read: worked cases of every rule."""

from __future__ import annotations

import pytest

from candidly.compare.corpora.words import ENGLISH, lemma, to_ascii, tokenise, verb


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Sauté the “crème brûlée” — slowly…", 'Saute the "creme brulee" - slowly...'),
        ("Straße, œuvre, Łódź, naïve", "Strasse, oeuvre, Lodz, naive"),
        ("½ cup at 180°C", "12 cup at 180 degrees C"),
        ("fold 折り紙 paper 🙂", "fold  paper "),
        ("ﬁx it’s", "fix it's"),
    ],
)
def test_other_letters_are_written_in_ascii(text, plain):
    found = to_ascii(text)
    assert found.isascii()
    assert found.replace("1/2", "12") == plain


def test_tokens_are_words_numbers_and_signs():
    assert tokenise("don't mix 2.5 cups (or 3/4), it's well-known!") == [
        *("don't", "mix", "2.5", "cups", "(", "or", "3/4", ")", ","),
        *("it", "'s", "well-known", "!"),
    ]
    assert tokenise("") == []


@pytest.mark.parametrize(
    ("event", "place"),
    [
        ("open the window .", 0),
        ("slowly and carefully open it .", 3),
        ("never open it .", 1),
        ("do not open it .", 2),
        ("don't open it .", 1),
        ("do your homework .", 0),
        ("to open it , press here .", 1),
        ("if you are cold , close the window .", 5),
        ("if you are cold close the window .", None),
        ("apply the paint .", 0),
        ("the basics of paint .", None),
        ("3 eggs and milk .", None),
        ("happiness and joy .", None),
        ("position the lamp .", 0),
        ("your own lamp .", None),
        (".", None),
        ("", None),
    ],
)
def test_the_verb_is_an_imperative(event, place):
    assert verb(event.split()) == place


@pytest.mark.parametrize(
    ("word", "base"),
    [
        *(("boxes", "box"), ("dishes", "dish"), ("berries", "berry"), ("ties", "tie")),
        *(("glass", "glass"), ("bus", "bus"), ("basis", "basis"), ("cups", "cup")),
        *(("stopped", "stop"), ("planning", "plan"), ("added", "add"), ("filling", "fill")),
        *(("baking", "bake"), ("placed", "place"), ("rinsed", "rinse"), ("heated", "heat")),
        *(("tried", "try"), ("carrying", "carry"), ("teeth", "tooth"), ("bring", "bring")),
        *(("red", "red"), ("2.5", "2.5"), ("don't", "don't")),
    ],
)
def test_a_word_without_its_inflection(word, base):
    assert lemma(word) == base


def test_a_language_of_ones_own_needs_no_more_than_its_functions():
    from candidly.compare.corpora.words import Language

    own = Language(verb=lambda tokens: 0 if tokens else None, stop=frozenset())
    assert own.verb(["anything"]) == 0
    assert own.ascii("é") == ENGLISH.ascii("é") == "e"
