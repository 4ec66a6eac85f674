/** Live picture of the machine's memory. */
import { useState } from 'preact/hooks'
import type { DeviceOnPage, MachineOnPage } from '../../../src/wire/pages/live.ts'
import { upserted } from '../../api/live.ts'

export interface MachineSeen {
  /** Undefined before the first event. Its `devices` are those of the last event alone. */
  readonly machine: MachineOnPage | undefined
  readonly devices: readonly DeviceOnPage[]
}

/** Returns the picture, the handler of `machine` events, and what to call when a stream begins. */
export function useMachine() {
  const [machine, setMachine] = useState<MachineOnPage>()
  const [devices, setDevices] = useState<ReadonlyMap<string, DeviceOnPage>>(new Map())
  const onMachine = (told: MachineOnPage) => {
    setMachine(told)
    setDevices((known) => upserted(known, told.devices, ({ id }) => id))
  }
  const seen: MachineSeen = { machine, devices: [...devices.values()] }
  return { seen, onMachine, onOpened: () => setDevices(new Map()) }
}
