import type { ModelObject } from '../../../src/wire/models.ts'
import { type OwnRow, useResult } from '../../api/own-operation.ts'
import { texts } from '../../texts/texts.ts'

export type LoadingModel = OwnRow<'models-loading'>

/** Returns the states of the models on this disk; undefined until the first answer. */
export function useLoading(): readonly LoadingModel[] | undefined {
  return useResult('models-loading', {}, { everyMs: 5_000 }).data
}

interface ServedStateProps {
  readonly model: Pick<ModelObject, 'id' | 'status'>
  readonly loading: readonly LoadingModel[] | undefined
}

/** Shows a model's state as a sign and a word. */
export function ServedState({ model, loading }: ServedStateProps) {
  const { sign, text, tone } = stateOf(model, loading)
  return (
    <span class={tone}>
      <span aria-hidden="true">{sign}</span> {text}
    </span>
  )
}

export function stateOf({ id, status }: ServedStateProps['model'], loading: ServedStateProps['loading']) {
  const { states, onDisk, failedBefore, loadingPercent } = texts.play
  // Both states only mean that requests are possible. The list of loading models is more recent.
  const mayBeAsked = status === 'ready' || status === 'loading'
  if (!mayBeAsked) return states[status]
  const { state, loadedFraction, loadMs } = loading?.find((each) => each.id === id) ?? unknown
  if (state === 'ready') return states.ready
  if (state === 'failed') return failedBefore
  if (state === 'loading' && loadedFraction !== null)
    return { ...states.loading, text: loadingPercent(Math.floor(loadedFraction * 100)) }
  if (state === 'loading' || (state === 'unknown' && status === 'loading')) return states.loading
  return loadMs === null ? onDisk : { ...onDisk, text: loadText(loadMs) }
}

const unknown = { state: 'unknown', loadedFraction: null, loadMs: null } as const

/** Returns "loads in about 12 s". Estimates of more than 90 seconds are told in minutes. */
function loadText(loadMs: number): string {
  if (loadMs < 1_000) return texts.play.loadsAtOnce
  const seconds = Math.round(loadMs / 1_000)
  return texts.play.loadsIn(seconds > 90 ? `${Math.round(seconds / 60)} min` : `${seconds} s`)
}
