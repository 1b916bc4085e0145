"""Studies: what came out when candidly was used on real data. A folder each, with its results.

    python -m studies.NAME            trains or measures what is missing, where CANDIDLY_DATA names
                                      the folder of the real files; then writes the page
    python -m studies.NAME --check    writes nothing; exits 1 when the page is not up to date
    python -m studies.NAME --quick    builds the page and writes nothing

``--help`` has what else a study can be told, and how long it takes. The pages are in docs/studies;
what is measured of candidly's own speed and memory is in bench.
"""
