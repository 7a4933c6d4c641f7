"""State of a conversation with several writers, and with writers that died."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
import unittest
from unittest import mock

from holdfast_hooks import conversation_state
from holdfast_hooks import _state
from tests.programs import ROOT, Case

# The start of the SHA-256 of "c1".
KEY = "d0f631ca1ddba8db3bcfcb9e057cdc98"

COUNTER = """
import sys
sys.path.insert(0, {root!r})
from holdfast_hooks import conversation_state
state = conversation_state({{"conversation_id": "c1"}}, "count", 0)
for _ in range(40):
    state.update(lambda count: count + 1)
"""


class States(Case):
    def setUp(self) -> None:
        super().setUp()
        patched = mock.patch.dict(os.environ, {"HOLDFAST_STATE": self.folder})
        patched.start()
        self.addCleanup(patched.stop)

    def state(self, start: object = None, conversation: str = "c1", name: str = "count") -> _state.State:
        return conversation_state({"conversation_id": conversation}, name, start)

    def test_reads_and_updates(self) -> None:
        self.assertIsNone(self.state().read())
        self.assertEqual(self.state(0).read(), 0)
        self.assertEqual(self.state(0).update(lambda n: n + 1), 1)
        self.assertEqual(self.state(0).read(), 1)
        self.assertEqual(self.state(0, conversation="c2").read(), 0)
        self.assertEqual(self.state(0, name="other").read(), 0)
        self.assertEqual(os.listdir(os.path.dirname(self.state().file)), ["count.json"])

    def test_its_file(self) -> None:
        state = self.state()
        self.assertEqual(state.file, self.at(KEY, "count.json"))
        with mock.patch.dict(os.environ, {"HOME": "/home/ada"}):
            del os.environ["HOLDFAST_STATE"]
            self.assertEqual(self.state().file, f"/home/ada/.holdfast/state/{KEY}/count.json")
        state.update(lambda _: {"a": 1})
        self.assertEqual(os.stat(state.file).st_mode & 0o777, 0o600)
        self.assertEqual(os.stat(os.path.dirname(state.file)).st_mode & 0o777, 0o700)

    def test_the_initial_value_is_not_shared(self) -> None:
        start: list = []
        state = self.state(start)
        state.update(lambda items: [*items, 1])
        self.assertEqual(start, [])
        self.state(start, name="x").read().append(1)
        self.assertEqual(start, [])

    def test_invalid_names(self) -> None:
        for name in ("", ".", "..", "../x", "a/b", "a\0", "x" * 81, "ä", "a b", "a\n"):
            with self.assertRaisesRegex(ValueError, "cannot be the name"):
                self.state(name=name)
        self.state(conversation="../../\ud800").update(lambda _: 1)
        self.assertEqual(len(os.listdir(self.folder)), 1)

    def test_a_change_that_fails_changes_nothing(self) -> None:
        state = self.state(5)
        state.update(lambda n: n + 1)
        for change in (lambda n: 1 / 0, lambda n: None, lambda n: {1}, lambda n: float("nan")):
            with self.assertRaises((ZeroDivisionError, TypeError, ValueError)):
                state.update(change)
        self.assertEqual(state.read(), 6)
        self.assertEqual(os.listdir(os.path.dirname(state.file)), ["count.json"])

    def test_a_damaged_file_starts_again(self) -> None:
        state = self.state(0)
        state.update(lambda n: 5)
        for text in ("{", "[" * 100_000, ""):
            with open(state.file, "w", encoding="utf-8") as file:
                file.write(text)
            self.assertEqual(state.update(lambda n: n + 1), 1)

    def test_many_processes(self) -> None:
        code = COUNTER.format(root=ROOT)
        counters = [subprocess.Popen([sys.executable, "-I", "-B", "-c", code]) for _ in range(5)]
        self.assertEqual([counter.wait(60) for counter in counters], [0] * 5)
        self.assertEqual(self.state(0).read(), 200)
        self.assertEqual(os.listdir(os.path.dirname(self.state().file)), ["count.json"])

    def left_behind(self, state: _state.State, age: float) -> None:
        os.makedirs(os.path.dirname(state.file), exist_ok=True)
        with open(f"{state.file}.lock", "w", encoding="utf-8"):
            pass
        then = time.time() - age
        os.utime(f"{state.file}.lock", (then, then))

    def test_the_lock_of_a_dead_process_is_replaced(self) -> None:
        state = self.state(0)
        self.left_behind(state, 60)
        self.assertEqual(state.update(lambda n: n + 1), 1)
        self.left_behind(state, 60)
        threads = [threading.Thread(target=state.update, args=(lambda n: n + 1,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(state.read(), 9)

    def test_a_lock_that_is_held(self) -> None:
        state = self.state(0)
        self.left_behind(state, -60)
        with mock.patch.object(_state, "LOCK_TIMEOUT", 0.1), self.assertRaisesRegex(TimeoutError, "was held"):
            state.update(lambda n: n + 1)
        self.assertEqual(state.read(), 0)

    def test_a_lock_that_was_renewed_is_put_back(self) -> None:
        state = self.state(0)
        self.left_behind(state, 0)
        lock = f"{state.file}.lock"
        with open(lock, "w", encoding="utf-8") as file:
            file.write("another")
        _state._remove_stale(lock)
        with open(lock, encoding="utf-8") as file:
            self.assertEqual(file.read(), "another")
        self.assertEqual(os.listdir(os.path.dirname(lock)), ["count.json.lock"])
        self.left_behind(state, 60)
        _state._remove_stale(lock)
        self.assertEqual(os.listdir(os.path.dirname(lock)), [])

    def test_a_fresh_lock_is_not_touched(self) -> None:
        state = self.state(0)
        for age, taken in ((_state.STALE_AFTER - 2, False), (_state.STALE_AFTER + 2, True)):
            self.left_behind(state, age)
            with mock.patch.object(_state, "LOCK_TIMEOUT", 0), mock.patch.object(
                _state, "_remove_stale", side_effect=TimeoutError("taken")
            ), self.assertRaisesRegex(TimeoutError, "taken" if taken else "was held"):
                with mock.patch.object(time, "monotonic", side_effect=[0, 0, 1] if not taken else [0, 0]):
                    _state._lock(f"{state.file}.lock")

    def test_temporary_names_are_unique(self) -> None:
        file = self.at("count.json")
        with mock.patch.object(os, "getpid", return_value=7):
            names = [_state._temporary_name(file) for _ in range(2)]
            marks = []
            for _ in range(2):
                marks.append(_state._lock(f"{file}.lock"))
                self.assertEqual(os.stat(f"{file}.lock").st_mode & 0o777, 0o600)
                self.assertEqual(_state._holder(f"{file}.lock"), marks[-1])
                os.unlink(f"{file}.lock")
        self.assertEqual((len(set(names)), len(set(marks))), (2, 2))
        for name in names:
            self.assertTrue(name.startswith(f"{file}.7-"), name)
        for mark in marks:
            self.assertTrue(mark.startswith("7-"), mark)

    def test_the_lock_of_another_process_is_not_removed(self) -> None:
        state = self.state(0)

        def overtaken(count: int) -> int:
            with open(f"{state.file}.lock", "w", encoding="utf-8") as lock:
                lock.write("another")
            return count + 1

        with mock.patch.object(_state, "LOCK_TIMEOUT", 0), self.assertRaisesRegex(TimeoutError, "was held"):
            state.update(overtaken)
        self.assertEqual(_state._holder(f"{state.file}.lock"), "another")
        self.assertEqual(os.listdir(os.path.dirname(state.file)), ["count.json.lock"])

    def test_an_update_that_lost_its_lock_starts_again(self) -> None:
        """A change that takes longer than the lock must not overwrite the change of another process."""
        state = self.state(0)
        calls = []

        def slow(count: int) -> int:
            calls.append(count)
            if len(calls) == 1:
                then = time.time() - 60
                os.utime(f"{state.file}.lock", (then, then))
                state.update(lambda n: n + 10)
            return count + 1

        self.assertEqual(state.update(slow), 11)
        self.assertEqual(calls, [0, 10])
        self.assertEqual(state.read(), 11)


if __name__ == "__main__":
    unittest.main()
