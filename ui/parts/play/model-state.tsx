import type { ModelRow } from '../../../src/wire/models.ts'
import type { LoadingModel, LoadingModels } from '../../../src/wire/pages/models.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { texts } from '../../texts/texts.ts'

/** Returns models that are loaded or loading; undefined until the first answer. */
export function useLoading(): readonly LoadingModel[] | undefined {
  return useAnswer<LoadingModels>('/dashboard/api/models/loading', { everyMs: 5_000 }).data?.data
}

interface ModelStateProps {
  readonly model: Pick<ModelRow, 'id' | 'status'>
  readonly loading: readonly LoadingModel[] | undefined
}

/** Shows a model's state as a sign and a word. */
export function ModelState({ model, loading }: ModelStateProps) {
  const { sign, text, tone } = stateOf(model, loading)
  return (
    <span class={tone}>
      <span aria-hidden="true">{sign}</span> {text}
    </span>
  )
}

export function stateOf({ id, status }: ModelStateProps['model'], loading: ModelStateProps['loading']) {
  const { states, onRequest, failedBefore, loadingPercent } = texts.play
  // Both lists say only that the model may be asked; the other list is fresher.
  const mayBeAsked = status === 'ready' || status === 'loading'
  if (!mayBeAsked || loading === undefined) return states[status]
  const { state, progress } = loading.find(({ model }) => model === id) ?? { state: 'stopped', progress: null }
  if (state === 'ready') return states.ready
  if (state === 'failed') return failedBefore
  if (state !== 'loading') return onRequest
  return progress === null ? states.loading : { ...states.loading, text: loadingPercent(Math.floor(progress * 100)) }
}
