"""Which labels are wrong, and how many? By out-of-sample probabilities, and other detectors.

Probabilities: data → ``make_folds`` → learner (fits, or trains one stack) → ``CrossValidated``.
Label errors: labels and probabilities → ``examine`` → ``Evidence`` → ``find`` → ``Issues`` → table,
page; → ``estimate`` → ``WrongLabels``, how many are wrong. Detectors: ``Labelled`` →
``make_subject`` (blind) → a detector → ``Detection`` → ``judge``. A check is all of it: file →
``cross_validate`` → ``estimate`` → ``Checked`` → table, page.

>>> import numpy as np
>>> from candidly import errors
>>> given = np.array([0, 0, 1, 1, 1])
>>> probs = np.array([[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.1, 0.9], [0.95, 0.05]])
>>> errors.find(given, probs).indices
array([4])
"""

from typing import TYPE_CHECKING

from ..ground.faces import lazy

if TYPE_CHECKING:
    from . import amount as amount
    from . import checking as checking
    from . import confident as confident
    from . import crossval as crossval
    from . import detectors as detectors
    from .amount import CheckedCount as CheckedCount
    from .amount import CheckedRows as CheckedRows
    from .amount import RowsToCheck as RowsToCheck
    from .amount import WrongLabels as WrongLabels
    from .amount import calibrated as calibrated
    from .amount import count_checked as count_checked
    from .amount import estimate as estimate
    from .amount import rows_to_check as rows_to_check
    from .amount import table_to_check as table_to_check
    from .amount import worth_a_look as worth_a_look
    from .checking import Checked as Checked
    from .checking import check as check
    from .confident import COUNTS as COUNTS
    from .confident import EPSILON as EPSILON
    from .confident import FEW as FEW
    from .confident import METHODS as METHODS
    from .confident import OF_COLUMNS as OF_COLUMNS
    from .confident import Counts as Counts
    from .confident import Evidence as Evidence
    from .confident import FindBy as FindBy
    from .confident import Health as Health
    from .confident import Issues as Issues
    from .confident import NoiseMatrices as NoiseMatrices
    from .confident import SetEvidence as SetEvidence
    from .confident import TagIssues as TagIssues
    from .confident import adjusted as adjusted
    from .confident import confident_joint as confident_joint
    from .confident import corrected as corrected
    from .confident import counts as counts
    from .confident import ensemble_scores as ensemble_scores
    from .confident import examine as examine
    from .confident import examine_sets as examine_sets
    from .confident import find as find
    from .confident import find_multilabel as find_multilabel
    from .confident import gathered as gathered
    from .confident import health as health
    from .confident import holds_sets as holds_sets
    from .confident import joint as joint
    from .confident import noise_matrices as noise_matrices
    from .confident import prior as prior
    from .confident import scores as scores
    from .confident import scores_multilabel as scores_multilabel
    from .confident import thresholds as thresholds
    from .confident.issues_document import issues_document as issues_document
    from .crossval import CrossValidated as CrossValidated
    from .crossval import Network as Network
    from .crossval import cross_validate as cross_validate
    from .detectors import Detection as Detection
    from .detectors import Detector as Detector
    from .detectors.comparison_document import comparison_document as comparison_document
    from .estimator import CleanClassifier as CleanClassifier
    from .estimator import LabelErrorDetector as LabelErrorDetector

_WHERE = {  # public name -> module that has it; '' or PACKAGE. where the name is a module there
    "COUNTS": "confident",
    "Checked": "checking",
    "CheckedCount": "amount",
    "CheckedRows": "amount",
    "CleanClassifier": "estimator",
    "Counts": "confident",
    "CrossValidated": "crossval",
    "Detection": "detectors",
    "Detector": "detectors",
    "EPSILON": "confident",
    "Evidence": "confident",
    "FEW": "confident",
    "FindBy": "confident",
    "Health": "confident",
    "Issues": "confident",
    "LabelErrorDetector": "estimator",
    "METHODS": "confident",
    "Network": "crossval",
    "NoiseMatrices": "confident",
    "OF_COLUMNS": "confident",
    "RowsToCheck": "amount",
    "SetEvidence": "confident",
    "TagIssues": "confident",
    "WrongLabels": "amount",
    "adjusted": "confident",
    "amount": "",
    "calibrated": "amount",
    "check": "checking",
    "checking": "",
    "comparison_document": "detectors.comparison_document",
    "confident": "",
    "confident_joint": "confident",
    "corrected": "confident",
    "count_checked": "amount",
    "counts": "confident",
    "cross_validate": "crossval",
    "crossval": "",
    "detectors": "",
    "ensemble_scores": "confident",
    "estimate": "amount",
    "examine": "confident",
    "examine_sets": "confident",
    "find": "confident",
    "find_multilabel": "confident",
    "gathered": "confident",
    "health": "confident",
    "holds_sets": "confident",
    "issues_document": "confident.issues_document",
    "joint": "confident",
    "noise_matrices": "confident",
    "prior": "confident",
    "rows_to_check": "amount",
    "scores": "confident",
    "scores_multilabel": "confident",
    "table_to_check": "amount",
    "thresholds": "confident",
    "worth_a_look": "amount",
}

if not TYPE_CHECKING:  # for them, a name that is not above is an error
    __getattr__, __dir__, __all__ = lazy(__name__, _WHERE)
