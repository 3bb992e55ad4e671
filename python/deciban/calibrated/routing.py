"""Routing of other parameters of `fit`: to the model that is calibrated, or the splitter of the examples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from numpy.typing import ArrayLike

from deciban.data.fit_parameters import is_routing_enabled, weight_parameters

from ..calibration.splitting import Folds, is_splitter

if TYPE_CHECKING:
    from sklearn.utils.metadata_routing import MetadataRouter


class Routed(NamedTuple):
    """Parameters of the `fit` of the model, and of the `split` of the splitter."""

    model: Mapping[str, Any]
    splitter: Mapping[str, Any]


class RoutesMetadata:
    """A meta-estimator of a `_model()` and a splitter `cv`, which takes part in scikit-learn's metadata routing."""

    cv: Folds | None

    def _model(self) -> Any:
        raise NotImplementedError

    def get_metadata_routing(self) -> MetadataRouter:
        """Return the routing of metadata: the model requests parameters of `fit`, the splitter those of `split`.

        It matters with `sklearn.set_config(enable_metadata_routing=True)`: then the model gets the weights if it asks
        for them, by `set_fit_request(sample_weight=True)`; the calibrator always gets them.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
            The routing.
        """
        from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

        router = MetadataRouter(owner=self).add_self_request(self)
        router.add(estimator=self._model(), method_mapping=MethodMapping().add(caller="fit", callee="fit"))
        splitter = self.cv if is_splitter(self.cv) else None
        return router.add(splitter=splitter, method_mapping=MethodMapping().add(caller="fit", callee="split"))

    def _route(self, sample_weight: ArrayLike | None, parameters: dict[str, Any]) -> Routed:
        """Deal out what `fit` was given besides X and y."""
        if is_routing_enabled():
            from sklearn.utils.metadata_routing import process_routing

            routed = process_routing(self, "fit", sample_weight=sample_weight, **parameters)
            return Routed(routed.estimator.fit, routed.splitter.split)
        if "groups" in parameters and not is_splitter(self.cv):
            raise ValueError(
                f"groups need a splitter that keeps them together; got cv={self.cv!r}. Set cv=GroupKFold(), or leave "
                "groups out."
            )
        groups = {"groups": parameters.pop("groups")} if "groups" in parameters else {}
        return Routed({**weight_parameters(self._model(), sample_weight), **parameters}, groups)
