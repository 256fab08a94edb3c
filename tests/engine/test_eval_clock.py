"""The eval's timer counts the eval's own work and nothing else."""

import asyncio

from reeval.engine.eval_clock import EvalClock


def test_it_fires_once_the_time_is_used() -> None:
    async def scenario() -> None:
        fired = asyncio.Event()
        clock = EvalClock(0.01, fired.set)
        clock.start()
        await asyncio.wait_for(fired.wait(), 5)
        assert clock.left <= 0.01

    asyncio.run(scenario())


def test_paused_time_does_not_count_however_many_pauses_overlap() -> None:
    async def scenario() -> None:
        fired: list[bool] = []
        clock = EvalClock(0.2, lambda: fired.append(True))
        clock.start()
        with clock.paused():
            with clock.paused():
                await asyncio.sleep(0.15)
            await asyncio.sleep(0.15)
        assert not fired
        assert 0 < clock.left <= 0.2
        await asyncio.sleep(0.4)
        assert fired == [True]

    asyncio.run(scenario())


def test_a_stopped_clock_never_fires() -> None:
    async def scenario() -> None:
        fired: list[bool] = []
        clock = EvalClock(0.01, lambda: fired.append(True))
        clock.start()
        with clock.paused():
            clock.stop()
        await asyncio.sleep(0.1)
        assert not fired

    asyncio.run(scenario())
