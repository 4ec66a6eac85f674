/** What the overview is told as it happens. */
import { useState } from 'preact/hooks'
import type {
  DeviceOnPage,
  EngineOnPage,
  MachineOnPage,
  RatesOnPage,
  StateOnPage,
} from '../../../src/wire/pages/live.ts'
import { type Live, upserted, useLive } from '../../api/live.ts'

export interface Overview {
  readonly live: Live
  readonly state: StateOnPage | undefined
  readonly machine: MachineOnPage | undefined
  readonly devices: readonly DeviceOnPage[]
  readonly engines: readonly EngineOnPage[]
  /** Of the last ten minutes, the oldest first. */
  readonly rates: readonly RatesOnPage[]
}

const keptRates = 600

export function useOverview(): Overview {
  const [state, setState] = useState<StateOnPage>()
  const [machine, setMachine] = useState<MachineOnPage>()
  const [devices, setDevices] = useState<ReadonlyMap<string, DeviceOnPage>>(new Map())
  const [engines, setEngines] = useState<ReadonlyMap<string, EngineOnPage>>(new Map())
  const [rates, setRates] = useState<readonly RatesOnPage[]>([])
  const live = useLive({
    notices: setState,
    machine: (told) => {
      setMachine(told)
      setDevices((known) => upserted(known, told.devices, ({ id }) => id))
    },
    engines: (changed) => setEngines((known) => upserted(known, changed, ({ model }) => model)),
    rates: (newest) => setRates((before) => [...before.slice(1 - keptRates), newest]),
  })
  const shown = [...engines.values()].filter(({ state: engine }) => engine !== 'stopped')
  return {
    ...{ live, state, machine, rates },
    devices: [...devices.values()],
    engines: shown.sort((one, other) => (one.model < other.model ? -1 : 1)),
  }
}
