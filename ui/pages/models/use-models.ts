/** All models, with live states of their engines and downloads. The list is reloaded when a state changes. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { OperationJson } from '../../../src/operations/money-text.ts'
import type { DownloadEvent, EngineEvent } from '../../../src/wire/pages/live.ts'
import { type Live, upserted, useLive } from '../../api/live.ts'
import { useResult } from '../../api/operation.ts'
import type { Answer } from '../../api/use-answer.ts'
import { type MachineSeen, useMachine } from '../../parts/memory/use-machine.ts'
import type { LiveModel, ModelListed } from './model-state.ts'

interface LiveModels {
  readonly live: Live
  readonly seen: MachineSeen
  /** Engines that run, by model. */
  readonly engines: ReadonlyMap<string, EngineEvent>
  readonly withLive: (row: ModelListed) => LiveModel
}

interface ModelsSeen extends LiveModels {
  readonly answer: Answer<OperationJson<'models-list'>>
  /** Reloads the list. */
  readonly reload: () => void
}

/** Time in which several changes cause a single reload */
const reloadDelayMs = 300

/** Time after which the list is read again: whether models fit changes with other programs' memory. */
const fitMs = 10_000

export function useModels(): ModelsSeen {
  const answer = useResult('models-list', {}, { everyMs: fitMs })
  return { ...useLiveModels(() => void answer.reload()), answer, reload: () => void answer.reload() }
}

/** Follows the machine's memory, and the live states of engines and downloads by model. `onChange` is called when a state changes. */
export function useLiveModels(onChange: () => void): LiveModels {
  const [engines, setEngines] = useState<ReadonlyMap<string, EngineEvent>>(new Map())
  const [pulls, setPulls] = useState<ReadonlyMap<string, DownloadEvent>>(new Map())
  const states = useRef(new Map<string, string>())
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])

  const note = (name: string, state: string) => {
    const before = states.current.get(name)
    states.current.set(name, state)
    if (before === undefined || before === state) return
    clearTimeout(timer.current)
    timer.current = setTimeout(onChange, reloadDelayMs)
  }
  const { seen, onMachine, onOpened } = useMachine()
  const live = useLive(
    {
      machine: onMachine,
      engines: (changed) => {
        setEngines((known) => upserted(known, changed, ({ model }) => model))
        for (const { model, state } of changed) note(`engine ${model}`, state)
      },
      pulls: (changed) => {
        setPulls((known) => upserted(known, changed, ({ model }) => model))
        for (const { model, state } of changed) note(`pull ${model}`, state)
      },
    },
    () => {
      setEngines(new Map())
      setPulls(new Map())
      onOpened()
    },
  )
  const withLive = (row: ModelListed): LiveModel => ({
    row,
    engine: engines.get(row.id),
    pull: pulls.get(row.id) ?? pullOf(row),
  })
  return { live, seen, engines, withLive }
}

/** Returns the download in the live data's form. */
function pullOf({ pull }: Pick<ModelListed, 'pull'>): DownloadEvent | undefined {
  if (pull === null) return undefined
  const { model, state, doneBytes, totalBytes, rate, trouble, error } = pull
  return { model, state, bytes: doneBytes, total: totalBytes, rate, trouble, error }
}
