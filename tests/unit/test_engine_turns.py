"""Turns: threads share the connection of the engine one after the other, and drop nothing halfway."""

import threading
from concurrent.futures import ThreadPoolExecutor

import discreet as ds
from discreet.engine import turns


def test_threads_may_mask_and_measure_at_the_same_time():
    data = ds.read(ds.datasets.patients(300, seed=1), keys=["age", "zip", "sex"])

    def step(seed):
        masked = ds.sample(data, fraction=0.5, seed=seed)
        return masked.to("arrow"), ds.disclosure_risk(data, masked).maximal

    alone = [step(seed) for seed in range(8)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(step, range(8)))
    for (table, risk), (other, its_risk) in zip(alone, together, strict=True):
        assert table.equals(other)
        assert risk == its_risk


def test_what_is_dropped_during_a_call_is_dropped_after_it():
    order = []

    def call():
        turns.between_turns(lambda: order.append("dropped"))
        order.append("called")

    turns.in_turn(lambda: turns.in_turn(call) or order.append("outer"))
    assert order == ["called", "outer", "dropped"]


def test_dropping_never_waits_for_the_call_of_another_thread():
    order, inside, go_on = [], threading.Event(), threading.Event()

    def call():
        inside.set()
        go_on.wait(10)
        order.append("called")

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(turns.in_turn, call)
        inside.wait(10)
        turns.between_turns(lambda: order.append("dropped"))
        assert order == []
        go_on.set()
        running.result()
    assert order == ["called", "dropped"]


def test_a_drop_that_fails_disturbs_nothing():
    turns.between_turns(lambda: 1 / 0)
    assert turns.in_turn(lambda: 5) == 5
