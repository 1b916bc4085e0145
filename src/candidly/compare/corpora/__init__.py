"""Building a noisy benchmark from articles: the NoisywikiHow way, for anyone's corpus."""

from .articles import Articles, make_articles
from .builder import Benchmark, BuildSettings, build
from .corpus import make_corpus
from .files import as_labelled
from .funnel import Funnel, funnel
from .pages import read_pages, write_pages
from .tables import read_articles, write_articles
from .votes import CategoryVotes, count_votes, read_votes
from .words import ENGLISH, Language

__all__ = [
    "ENGLISH",
    "Articles",
    "Benchmark",
    "BuildSettings",
    "CategoryVotes",
    "Funnel",
    "Language",
    "as_labelled",
    "build",
    "count_votes",
    "funnel",
    "make_articles",
    "make_corpus",
    "read_articles",
    "read_pages",
    "read_votes",
    "write_articles",
    "write_pages",
]
