"""Turns: threads share the connection of the engine one after the other, and drop nothing halfway."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

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


def test_a_drop_that_cannot_be_done_yet_is_tried_again_after_the_next_call():
    order, ready = [], []
    turns.between_turns(lambda: order.append("dropped") if ready else False)
    turns.in_turn(lambda: order.append("called"))
    ready.append(True)
    assert order == ["called"]
    turns.in_turn(lambda: None)
    turns.in_turn(lambda: None)
    assert order == ["called", "dropped"]


def test_a_drop_that_fails_disturbs_nothing():
    turns.between_turns(lambda: 1 / 0)
    assert turns.in_turn(lambda: 5) == 5


def test_a_step_within_a_step_is_carried_out_at_once():
    """In another thread it would wait for the turn of this one, for ever."""
    watch = turns.Watch(lambda: -1.0, lambda: None)
    assert not turns.is_our_turn()
    within = turns.in_turn(lambda: turns.awaited(threading.current_thread, watch))
    assert within is threading.main_thread()
    assert turns.awaited(threading.current_thread, watch) is not threading.main_thread()


def test_the_turn_of_another_thread_is_not_ours():
    with ThreadPoolExecutor(1) as pool:
        assert turns.in_turn(lambda: pool.submit(turns.is_our_turn).result(10)) is False
        assert turns.in_turn(turns.is_our_turn)


def test_the_thread_that_waits_asks_the_engine_nothing(monkeypatch):
    """Ctrl-C halfway through a question would leave its answer to the next one."""
    monkeypatch.setattr(turns, "_PATIENCE", 0.0)
    asked, stopped = set(), threading.Event()

    def percent():
        asked.add(threading.current_thread())
        return 50.0

    def stop():
        asked.add(threading.current_thread())
        stopped.set()

    class Enough(Exception):
        pass

    def listen(progress):
        if progress.done == 50:
            raise Enough

    with pytest.raises(Enough), ds.on_progress(listen):
        turns.awaited(lambda: stopped.wait(20), turns.Watch(percent, stop))
    assert stopped.is_set()
    assert len(asked) == 2
    assert threading.main_thread() not in asked


def test_who_is_ended_while_waiting_for_a_turn_stops_nobody_else(monkeypatch):
    """What the connection does then is of the thread whose turn it is."""
    monkeypatch.setattr(turns, "_PATIENCE", 0.0)
    inside, go_on, stops, ran = threading.Event(), threading.Event(), [], []

    def call():
        inside.set()
        return go_on.wait(20)

    def enough(_):
        raise RuntimeError

    watch = turns.Watch(lambda: -1.0, lambda: stops.append(1))
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(turns.in_turn, call)
        inside.wait(10)
        with pytest.raises(RuntimeError), ds.on_progress(enough):
            turns.awaited(lambda: ran.append(1), watch)
        go_on.set()
        assert running.result(20)
    turns.in_turn(lambda: None)
    assert stops == ran == []


def test_a_thread_with_a_callback_can_be_ended_too(monkeypatch):
    monkeypatch.setattr(turns, "_PATIENCE", 0.0)
    stopped = threading.Event()

    def enough(_):
        raise RuntimeError

    def call():
        with ds.on_progress(enough):
            turns.awaited(lambda: stopped.wait(20), turns.Watch(lambda: -1.0, stopped.set))

    with ThreadPoolExecutor(1) as pool, pytest.raises(RuntimeError):
        pool.submit(call).result(20)
    assert stopped.is_set()
