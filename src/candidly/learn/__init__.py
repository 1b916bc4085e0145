"""How models learn: algorithms, networks, views, the engine, one run.

One run: ``Labelled`` → ``fit`` → ``engine.start`` → ``Stack``, ``train`` with watchers → ``Model``,
with a ``suspicion`` for each training row. New rows: ``read_frame`` → ``NewRows`` →
``predict_logits`` → table.
"""

from typing import TYPE_CHECKING

from ..ground.faces import lazy

if TYPE_CHECKING:
    from . import algorithms as algorithms
    from . import contract as contract
    from . import encoders as encoders
    from . import estimators as estimators
    from . import losses as losses
    from . import model as model
    from . import nets as nets
    from . import views as views
    from .algorithms import ALGORITHMS as ALGORITHMS
    from .algorithms import Algorithm as Algorithm
    from .algorithms import Batch as Batch
    from .algorithms import OneTrial as OneTrial
    from .algorithms import Stage as Stage
    from .algorithms import Trials as Trials
    from .algorithms import cross_entropy as cross_entropy
    from .algorithms import epochs as epochs
    from .algorithms import masked_softmax as masked_softmax
    from .algorithms import one_of as one_of
    from .algorithms import power_of_ten as power_of_ten
    from .algorithms import pure as pure
    from .algorithms import spread as spread
    from .algorithms import uniform_over as uniform_over
    from .estimators import NoisyLabelClassifier as NoisyLabelClassifier
    from .estimators import PartialLabelClassifier as PartialLabelClassifier
    from .estimators import accuracy_scorer as accuracy_scorer
    from .estimators import candidate_sets as candidate_sets
    from .estimators import covering_rate_scorer as covering_rate_scorer
    from .model import Model as Model
    from .model import Narrowed as Narrowed
    from .model import Trained as Trained
    from .model import fit as fit
    from .model import fit_and_measure as fit_and_measure
    from .model import load_model as load_model
    from .model import narrow as narrow
    from .nets import Net as Net
    from .own_loop import attach as attach

_WHERE = {  # public name -> module that has it; '' or PACKAGE. where the name is a module there
    "ALGORITHMS": "algorithms",
    "Algorithm": "algorithms",
    "Batch": "algorithms",
    "Model": "model",
    "Narrowed": "model",
    "Net": "nets",
    "NoisyLabelClassifier": "estimators",
    "OneTrial": "algorithms",
    "PartialLabelClassifier": "estimators",
    "Stage": "algorithms",
    "Trained": "model",
    "Trials": "algorithms",
    "accuracy_scorer": "estimators",
    "algorithms": "",
    "attach": "own_loop",
    "candidate_sets": "estimators",
    "contract": "",
    "covering_rate_scorer": "estimators",
    "cross_entropy": "algorithms",
    "encoders": "",
    "epochs": "algorithms",
    "estimators": "",
    "fit": "model",
    "fit_and_measure": "model",
    "load_model": "model",
    "losses": "",
    "masked_softmax": "algorithms",
    "model": "",
    "narrow": "model",
    "nets": "",
    "one_of": "algorithms",
    "power_of_ten": "algorithms",
    "pure": "algorithms",
    "spread": "algorithms",
    "uniform_over": "algorithms",
    "views": "",
}

if not TYPE_CHECKING:  # for them, a name that is not above is an error
    __getattr__, __dir__, __all__ = lazy(__name__, _WHERE)
