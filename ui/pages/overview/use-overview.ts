/** Live data of the overview. */
import { useRef, useState } from 'preact/hooks'
import type { EngineEvent, RatesOnPage, StateOnPage } from '../../../src/wire/pages/live.ts'
import { type Live, upserted, useLive } from '../../api/live.ts'
import { type MachineSeen, useMachine } from '../../parts/memory/use-machine.ts'
import { recentMs, type Sample } from './recent-values.ts'

interface Overview {
  readonly live: Live
  readonly state: StateOnPage | undefined
  readonly seen: MachineSeen
  /** Running engines by model. */
  readonly engines: ReadonlyMap<string, EngineEvent>
  /** Rates of the last ten minutes at most, the oldest first. */
  readonly rates: readonly RatesOnPage[]
  /** Output tokens per second by model over the same time. */
  readonly samples: ReadonlyMap<string, readonly Sample[]>
}

export function useOverview(): Overview {
  const [state, setState] = useState<StateOnPage>()
  const { seen, onMachine, onOpened } = useMachine()
  const [engines, setEngines] = useState<ReadonlyMap<string, EngineEvent>>(new Map())
  const [rates, setRates] = useState<readonly RatesOnPage[]>([])
  const samples = useRef<ReadonlyMap<string, readonly Sample[]>>(new Map())
  const active = new Map([...engines].filter(([, engine]) => engine.state !== 'stopped').sort(byModel))
  const live = useLive(
    {
      notices: setState,
      machine: onMachine,
      engines: (changed) => setEngines((known) => upserted(known, changed, ({ model }) => model)),
      rates: (newest) => {
        const atMs = Date.parse(newest.at)
        // Engines are reported only when they change, so one without news keeps its rate.
        samples.current = new Map(
          [...active.values()].map(({ model, output_tokens_per_s: value }) => {
            const before = samples.current.get(model) ?? []
            return [model, [...before.filter((sample) => sample.atMs > atMs - recentMs), { atMs, value }]]
          }),
        )
        setRates((before) => [...before.filter(({ at }) => Date.parse(at) > atMs - recentMs), newest])
      },
    },
    () => {
      onOpened()
      setEngines(new Map())
    },
  )
  return { live, state, seen, rates, engines: active, samples: samples.current }
}

function byModel([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1
}
