"""The review app: people check labels in a browser; organisers watch, look and export.

Needs the extra ``review`` (``docs/install.md``).
``make_app`` gives an ASGI application for a project,
``serve`` runs it. It makes no request to anywhere, and binds to loopback unless told otherwise.
"""

from ._site import Site, open_site
from .app import make_app
from .links import organiser_link, person_link, viewer_link
from .serve import serve
from .sets_gallery import write_sets_gallery
from .static_gallery import write_gallery

__all__ = [
    "Site",
    "make_app",
    "open_site",
    "organiser_link",
    "person_link",
    "serve",
    "viewer_link",
    "write_gallery",
    "write_sets_gallery",
]
