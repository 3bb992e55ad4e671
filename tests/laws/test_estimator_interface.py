"""An estimator of the house is to scikit-learn, and to who uses it, what one is that inherits from its classes."""

import copy
import pickle
import re
import subprocess
import sys
from email.message import Message

import numpy as np
import pytest
import sklearn.base as theirs
from hypothesis import given
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_html_repr, get_tags
from sklearn.utils.metadata_routing import UNUSED, get_routing_for_object

from deciban import LinearSVM
from deciban.data import counterpart, documentation, mixins
from deciban.data.counterpart import METHODS
from deciban.data.estimator import BaseEstimator, clone
from laws.estimators import CASES, over
from tiers import examples

KINDS = {
    "plain": (),
    "classifier": ("ClassifierMixin",),
    "regressor": ("RegressorMixin",),
    "outliers": ("OutlierMixin",),
    "one to one": ("OneToOneFeatureMixin", "TransformerMixin"),
    "prefixed": ("ClassNamePrefixFeaturesOutMixin", "TransformerMixin"),
    "classifier and transformer": ("ClassNamePrefixFeaturesOutMixin", "TransformerMixin", "ClassifierMixin"),
}


def body():
    """What both classes define."""

    def __init__(self, alpha=1.0, *, kind="plain", inner=None, values=(1, 2), n_jobs=None):  # noqa: N807
        self.alpha, self.kind, self.inner, self.values, self.n_jobs = alpha, kind, inner, values, n_jobs

    def fit(self, X, y=None, sample_weight=None):
        self.n_features_in_ = self._n_features_out = np.shape(X)[1]
        self.weight_ = sample_weight
        return self

    def predict(self, X, flag=False):
        return np.arange(len(X)) % 2

    def transform(self, X, copy=True, texts=None):
        return 2.0 * np.asarray(X)

    made = {each.__name__: each for each in (__init__, fit, predict, transform)}
    made["_Model__metadata_request__predict"] = {"flag": True}
    made["_Model__metadata_request__transform"] = {"texts": UNUSED, "more": "less"}
    return made


def pair(kind):
    """The same class twice: of the house's classes, and of scikit-learn's."""
    return tuple(
        type("Model", (*(getattr(home, name) for name in KINDS[kind]), base), {**body(), "__module__": __name__})
        for home, base in ((mixins, BaseEstimator), (theirs, theirs.BaseEstimator))
    )


PAIRS = {kind: pair(kind) for kind in KINDS}
Own, Theirs = PAIRS["classifier"]
each_kind = pytest.mark.parametrize(("Own", "Theirs"), PAIRS.values(), ids=PAIRS)
PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30)
VALUES = (
    PLAIN | st.lists(PLAIN, max_size=40) | st.tuples(PLAIN) | st.dictionaries(st.text(max_size=3), PLAIN, max_size=3)
)
PARAMETERS = st.fixed_dictionaries({}, optional={"alpha": PLAIN, "kind": PLAIN, "values": VALUES, "n_jobs": VALUES})


def outcome(call):
    """What it returns, or the refusal."""
    try:
        return call()
    except Exception as error:
        return type(error), str(error)


@examples(50)
@given(outer=PARAMETERS, inner=st.none() | PARAMETERS, everything=st.booleans(), most=st.sampled_from([700, 80, 20]))
def test_it_is_printed_alike(outer, inner, everything, most):
    with config_context(print_changed_only=not everything):
        texts = [
            family(**outer, inner=None if inner is None else family(**inner)).__repr__(most) for family in (Own, Theirs)
        ]
    assert texts[0] == texts[1]


def test_an_array_and_a_pipeline_are_printed_alike():
    for inner in (np.arange(100.0), make_pipeline(theirs.BaseEstimator()), Own, lambda: None):
        assert repr(Own(inner=inner)) == repr(Theirs(inner=inner))
    assert repr(make_pipeline(Own(2))) == repr(make_pipeline(Theirs(2)))


CHANGES = [
    {},
    {"alpha": 3},
    {"inner__alpha": 3},
    {"inner": 1, "alpha": 2},
    {"inner__nothing": 1},
    {"nothing": 1},
    {"nothing__alpha": 1},
    {"alpha__beta": 1},
]


@pytest.mark.parametrize("changed", CHANGES, ids=str)
@pytest.mark.parametrize("deep", [True, False])
def test_parameters_are_told_and_set_alike(changed, deep):
    found = []
    for family in (Own, Theirs):
        model = family(inner=family(5.0))
        refusal = outcome(lambda model=model: model.set_params(**changed) is model)
        found.append((refusal, {name: repr(value) for name, value in model.get_params(deep=deep).items()}))
    assert found[0] == found[1]


def test_a_constructor_without_names_is_refused():
    class Unnamed(BaseEstimator):
        def __init__(self, *given):
            """Take anything."""

    with pytest.raises(RuntimeError, match="takes \\*given"):
        Unnamed().get_params()
    assert BaseEstimator().get_params() == theirs.BaseEstimator().get_params() == {}


@each_kind
def test_tags_are_alike(Own, Theirs):
    assert get_tags(Own()) == get_tags(Theirs())
    for known in (theirs.is_classifier, theirs.is_regressor, theirs.is_outlier_detector, mixins.is_classifier):
        assert known(Own()) == known(Theirs())


@each_kind
def test_isinstance_sees_the_classes_of_scikit_learn(Own, Theirs):
    model = Own()
    for name in ("BaseEstimator", *(name for name in dir(theirs) if name.endswith("Mixin") and name[0] != "_")):
        assert isinstance(model, getattr(theirs, name)) == isinstance(Theirs(), getattr(theirs, name)), name
    assert type(model) is Own
    assert isinstance(model, Own)
    assert isinstance(model, model.__class__)
    assert model.__class__.__name__ == model.__class__.__qualname__ == "Model"
    assert model.__class__.__module__ == __name__
    assert type(model.__class__(alpha=2.0)) is Own
    assert model.__class__ is Own().__class__


def test_a_class_of_what_isinstance_sees_has_objects_of_its_own():
    class Child(Own().__class__):
        """One who does not know better."""

    assert type(Child(3)) is type(theirs.clone(Child(3))) is Child
    assert Child(3).get_params()["alpha"] == 3


class Heir(Own):
    """A class that users write, and pickle."""


@pytest.mark.parametrize(
    "again",
    [
        copy.copy,
        copy.deepcopy,
        theirs.clone,
        clone,
        *(lambda model, p=p: pickle.loads(pickle.dumps(model, p)) for p in range(pickle.HIGHEST_PROTOCOL + 1)),
        lambda model: pickle._loads(pickle._dumps(model)),
    ],
)
@pytest.mark.parametrize("inner", [None, 3, "a", np.arange(3)], ids=repr)
def test_a_copy_is_of_the_same_type(again, inner):
    model = Heir(2.0, inner=inner)
    made = again(model)
    assert type(made) is Heir
    assert made is not model
    assert repr(made) == repr(model)


@over()
def test_a_clone_has_everything_that_scikit_learns_has(case):
    assert repr(clone(case.estimator)) == repr(theirs.clone(case.estimator)) == repr(case.estimator)
    model = case.new()
    model._sklearn_output_config = {"transform": "pandas"}
    assert clone(model)._sklearn_output_config == {"transform": "pandas"}


@each_kind
def test_requests_of_metadata_are_alike(Own, Theirs):
    own, other = Own(), Theirs()
    assert str(own.get_metadata_routing()) == str(other.get_metadata_routing())
    for name in (f"set_{method}_request" for method in METHODS):
        assert hasattr(own, name) == hasattr(other, name), name
        assert hasattr(Own, name) == hasattr(Theirs, name), name
    assert outcome(lambda: own.set_fit_request(sample_weight=True)) == outcome(
        lambda: other.set_fit_request(sample_weight=True)
    )
    with config_context(enable_metadata_routing=True):
        for model in (own, other):
            assert model.set_fit_request(sample_weight="w") is model
            assert model.set_predict_request(flag=False) is model
        assert type(own).set_transform_request(own, copy=True) is own
        other.set_transform_request(copy=True)
        for get in (get_routing_for_object, lambda model: theirs.clone(model).get_metadata_routing()):
            assert str(get(own)) == str(get(other))
        assert str(clone(own).get_metadata_routing()) == str(other.get_metadata_routing())
        assert outcome(lambda: own.set_fit_request(nothing=True)) == outcome(
            lambda: other.set_fit_request(nothing=True)
        )


def test_metadata_that_is_not_handed_on_is_warned_of():
    for kind, call in (("one to one", "fit_transform"), ("outliers", "fit_predict")):
        with config_context(enable_metadata_routing=True):
            for family in PAIRS[kind]:
                model = family()
                model = model.set_transform_request(copy=True) if call == "fit_transform" else model
                given = {"copy": True} if call == "fit_transform" else {"flag": True}
                with pytest.warns(UserWarning, match="which consumes metadata"), pytest.raises(TypeError):
                    getattr(model, call)(np.ones((2, 2)), **given)


def shown(model):
    """The HTML of a model, without the numbers of its parts."""
    return re.sub(r"sk-[\w-]*id-\d+", "", estimator_html_repr(model))


@each_kind
def test_notebooks_show_it_alike(Own, Theirs):
    own, other = (family(2.0, values=None) for family in (Own, Theirs))
    assert shown(own) == shown(other)
    assert shown(make_pipeline(own)) == shown(make_pipeline(other))
    assert own._repr_mimebundle_().keys() == other._repr_mimebundle_().keys()
    with config_context(display="text"):
        assert own._repr_mimebundle_().keys() == other._repr_mimebundle_().keys()
        assert not hasattr(own, "_repr_html_")
    fitted = own.fit(np.ones((2, 2)))
    assert shown(fitted) == shown(other.fit(np.ones((2, 2))))


@pytest.mark.parametrize("kind", [kind for kind, names in KINDS.items() if "TransformerMixin" in names])
@pytest.mark.parametrize("container", ["default", "pandas", "polars", None])
@pytest.mark.parametrize("of_all", [True, False])
def test_rows_come_in_the_container_that_is_asked_for(kind, container, of_all):
    X = np.arange(6.0).reshape(3, 2)
    found = []
    for family in PAIRS[kind]:
        model = family()
        with config_context(transform_output=(container or "default") if of_all else "default"):
            if not of_all:
                assert model.set_output(transform=container) is model
            found.append(
                [model.fit_transform(X), theirs.clone(model).fit(X).transform(X), model.get_feature_names_out()]
            )
            assert type(theirs.clone(model)) is family
    for own, other in zip(*found, strict=True):
        assert type(own) is type(other)
        assert list(getattr(own, "columns", [])) == list(getattr(other, "columns", []))
        np.testing.assert_array_equal(np.asarray(own), np.asarray(other))


@pytest.mark.parametrize("kind", ["one to one", "prefixed"])
def test_names_of_columns_are_refused_alike(kind):
    own, other = (family() for family in PAIRS[kind])
    with pytest.raises(NotFittedError):
        own.get_feature_names_out()
    for model in (own, other):
        model.fit(np.ones((2, 2)))
    for names in (["a", "b"], ["a"]):
        assert str(outcome(lambda n=names: own.get_feature_names_out(n))) == str(
            outcome(lambda n=names: other.get_feature_names_out(n))
        )


@pytest.mark.parametrize("kind", ["classifier", "regressor"])
def test_scores_are_alike(kind):
    y, weight = np.array([0, 1, 1, 0]), np.array([1.0, 2.0, 3.0, 4.0])
    own, other = (family().fit(np.ones((4, 1))) for family in PAIRS[kind])
    for more in ({}, {"sample_weight": weight}):
        assert own.score(np.ones((4, 1)), y, **more) == other.score(np.ones((4, 1)), y, **more)


def test_every_kind_that_a_model_has_is_compared_here():
    used = {each for case in CASES for each in type(case.estimator).__mro__ if each.__module__ == mixins.__name__}
    assert {each.__name__ for each in used} == {name for names in KINDS.values() for name in names}


def test_what_another_version_of_scikit_learn_has_not_is_not_there():
    class Later(BaseEstimator):
        _of_tomorrow = counterpart.Borrowed()
        set_tomorrow = counterpart.Borrowed("sklearn.tomorrow", "Mixin")

    assert not hasattr(Later(), "_of_tomorrow")
    assert not hasattr(Later, "set_tomorrow")


@each_kind
def test_the_same_public_names_are_listed(Own, Theirs):
    listed = [{name for name in dir(family()) if name[0] != "_"} for family in (Own, Theirs)]
    assert listed[0] == listed[1]


def test_what_settings_do_not_offer_is_not_listed():
    assert "predict_proba" in dir(LinearSVM())
    assert "predict_proba" not in dir(LinearSVM(calibration=None))
    code = "import sys; from deciban import LinearSVM; names = dir(LinearSVM()); "
    code += "print('predict_proba' in names, 'set_callbacks' in names, 'sklearn' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).split() == ["True", "False", "False"]


@over()
def test_the_diagram_links_to_the_page_of_the_estimator(case, monkeypatch):
    model, name = case.new(), type(case.estimator).__name__
    monkeypatch.setattr(documentation, "address", lambda: "")
    assert '<a class="sk-estimator-doc-link' not in shown(model)
    monkeypatch.setattr(documentation, "address", lambda: "https://docs.example/")
    assert f'href="https://docs.example/reference/api/deciban.{name}/"' in shown(model)
    own = type("Model", (type(model),), {"__module__": __name__})
    assert own.__new__(own)._get_doc_link() == ""


@pytest.mark.parametrize(
    ("declared", "told"),
    [
        (["Source, https://one.example", "Documentation, https://two.example"], "https://two.example/"),
        (["Documentation, https://two.example/"], "https://two.example/"),
        ([], ""),
    ],
)
def test_the_address_is_the_one_that_the_package_declares(declared, told, monkeypatch):
    known = Message()
    for each in declared:
        known["Project-URL"] = each
    monkeypatch.setattr("importlib.metadata.metadata", lambda name: known)
    assert documentation.address.__wrapped__() == told
