"""Where arrays may be: on the host, on the device of another library, on one without double precision."""

import pytest

from laws.containers import ELSEWHERE, EVERY, SINGLE, prepared


@pytest.fixture(params=ELSEWHERE)
def there(request):
    yield from prepared(request.param)


@pytest.fixture(params=EVERY)
def anywhere(request):
    yield from prepared(request.param)


@pytest.fixture(params=SINGLE)
def single(request):
    yield from prepared(request.param)
