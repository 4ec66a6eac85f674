/** Live data of the overview. */
import { useRef, useState } from 'preact/hooks'
import type {
  DeviceOnPage,
  EngineEvent,
  MachineOnPage,
  RatesOnPage,
  StateOnPage,
} from '../../../src/wire/pages/live.ts'
import { type Live, upserted, useLive } from '../../api/live.ts'
import { recentMs, type Sample } from './recent-values.ts'

interface Overview {
  readonly live: Live
  readonly state: StateOnPage | undefined
  readonly machine: MachineOnPage | undefined
  readonly devices: readonly DeviceOnPage[]
  /** Running engines by model. */
  readonly engines: ReadonlyMap<string, EngineEvent>
  /** Rates of the last ten minutes at most, the oldest first. */
  readonly rates: readonly RatesOnPage[]
  /** Output tokens per second by model over the same time. */
  readonly samples: ReadonlyMap<string, readonly Sample[]>
  /** First memory that holds a part of a model, by model. The model's work is shown there. */
  readonly homeOf: ReadonlyMap<string, string>
}

export function useOverview(): Overview {
  const [state, setState] = useState<StateOnPage>()
  const [machine, setMachine] = useState<MachineOnPage>()
  const [devices, setDevices] = useState<ReadonlyMap<string, DeviceOnPage>>(new Map())
  const [engines, setEngines] = useState<ReadonlyMap<string, EngineEvent>>(new Map())
  const [rates, setRates] = useState<readonly RatesOnPage[]>([])
  const samples = useRef<ReadonlyMap<string, readonly Sample[]>>(new Map())
  const active = new Map([...engines].filter(([, engine]) => engine.state !== 'stopped').sort(byModel))
  const live = useLive(
    {
      notices: setState,
      machine: (told) => {
        setMachine(told)
        setDevices((known) => upserted(known, told.devices, ({ id }) => id))
      },
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
      setDevices(new Map())
      setEngines(new Map())
    },
  )
  const shown = [...devices.values()]
  return {
    ...{ live, state, machine, rates, engines: active, samples: samples.current },
    devices: shown,
    homeOf: homesOf(machine === undefined ? shown : [...shown, machine.memory]),
  }
}

function byModel([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1
}

function homesOf(bars: readonly Pick<DeviceOnPage, 'id' | 'models'>[]): ReadonlyMap<string, string> {
  return new Map(bars.toReversed().flatMap(({ id, models }) => models.map(({ model }) => [model, id] as const)))
}
