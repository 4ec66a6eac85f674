import type { ModelObject } from '../../../src/wire/models.ts'
import { type OwnRow, useResult } from '../../api/own-operation.ts'
import { texts } from '../../texts/texts.ts'

export type LoadingModel = OwnRow<'models-loading'>

/** Returns models that are loaded or loading; undefined until the first answer. */
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
  const { states, onRequest, failedBefore, loadingPercent } = texts.play
  // Both states only mean that requests are possible. The list of loading models is more recent.
  const mayBeAsked = status === 'ready' || status === 'loading'
  if (!mayBeAsked || loading === undefined) return states[status]
  const model = loading.find((each) => each.id === id)
  const { state, loadedFraction } = model ?? { state: 'stopped', loadedFraction: null }
  if (state === 'ready') return states.ready
  if (state === 'failed') return failedBefore
  if (state !== 'loading') return onRequest
  if (loadedFraction === null) return states.loading
  return { ...states.loading, text: loadingPercent(Math.floor(loadedFraction * 100)) }
}
