"""Which encoded parts one Dask task takes: each once, of one worker, few enough bytes, and work for every thread."""

from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from deciban.distributed.on_dask import _BYTES, _TASKS, OnDask
from deciban.distributed.parts import Part

SIZES = st.sampled_from([0, 1, _BYTES // 40, _BYTES // 3, _BYTES - 1, _BYTES, 5 * _BYTES])


@given(
    parts=st.lists(st.tuples(st.integers(0, 4), SIZES), min_size=1, max_size=60),
    threads=st.integers(1, 3),
    lost=st.sets(st.integers(0, 59), max_size=3),
    kept=st.booleans(),
)
def test_a_task_takes_small_parts_of_one_worker(parts, threads, lost, kept):
    futures = [SimpleNamespace(key=f"part-{i}") for i in range(len(parts))]
    where = {each.key: (f"tcp://{parts[i][0]}",) for i, each in enumerate(futures) if i not in lost}
    client = SimpleNamespace(
        who_has=lambda some: {each.key: where.get(each.key, ()) for each in some},
        nthreads=lambda: {f"tcp://{worker}": threads for worker in range(5)},
    )
    engine = OnDask(client)
    if kept:
        engine._bytes = {each.key: size for each, (_, size) in zip(futures, parts, strict=True)}
    groups = engine._groups([Part(i, "", None, (each,)) for i, each in enumerate(futures)])
    assert sorted(i for group in groups for i in group) == list(range(len(parts)))
    assert all(group == sorted(group) for group in groups)
    for group in groups:
        assert len(group) == 1 or len({where[f"part-{i}"] for i in group}) == 1
        assert len(group) == 1 or (kept and sum(parts[i][1] for i in group) <= _BYTES)
    for worker in range(5):
        own = [i for i, (at, _) in enumerate(parts) if at == worker and i not in lost]
        of_worker = [group for group in groups if set(group) & set(own)]
        assert len(of_worker) >= min(len(own), 2)
    if kept and not lost and len({at for at, _ in parts}) == 1 and all(size <= 1 for _, size in parts):
        assert len(groups) <= _TASKS * threads
