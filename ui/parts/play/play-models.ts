import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ModelType } from '../../../src/core/model.ts'
import type { ModelObject } from '../../../src/wire/models.ts'
import { type Answer, useAnswer } from '../../api/use-answer.ts'

/** Row of the list. Rows of aliases have neither prices nor aliases. */
export type PlayModel = ModelObject

/** Returns the models of these types that requests can name, ready ones first. Others are not on this disk. */
export function usePlayModels(types: readonly ModelType[]): Answer<readonly PlayModel[]> {
  const answer = useListedModels()
  return { ...answer, data: answer.data === undefined ? undefined : usableModels(answer.data, types) }
}

/** Returns all models that the server lists, aliases included, anew each minute and when the person comes back. */
export function useListedModels(): Answer<readonly PlayModel[]> {
  const answer = useAnswer<{ readonly data: readonly PlayModel[] }>('/dashboard/v1/models', { everyMs: 60_000 })
  const data = answer.data?.data
  useEffect(() => {
    if (data !== undefined) listedModels.value = data
  }, [data])
  return { ...answer, data: data ?? listedModels.value }
}

/** Latest list of the models. Undefined before a page has asked for it. */
const listedModels = signal<readonly PlayModel[] | undefined>(undefined)

/** Returns the first model of a type that can answer, or the tiny one that comes with the server. */
export function helperModel(type: ModelType): PlayModel | undefined {
  const usable = usableModels(listedModels.value ?? [], [type]).filter(canAnswer)
  return usable.find((model) => !isTiny(model)) ?? usable[0]
}

/** Tells whether the model is one of those that come with the server to try it out. */
export function isTiny({ id }: Pick<PlayModel, 'id'>): boolean {
  return id.startsWith('inferd/starter')
}

const order: readonly PlayModel['status'][] = ['ready', 'loading', 'broken']

/** Returns canonical rows of these types that are on this disk. */
export function usableModels(rows: readonly PlayModel[], types: readonly ModelType[]): PlayModel[] {
  return order.flatMap((status) =>
    rows.filter((row) => row.id === row.canonical && types.includes(row.type) && row.status === status),
  )
}

export function canAnswer({ status }: PlayModel): boolean {
  return status === 'ready' || status === 'loading'
}

/** Returns the wanted model if it can answer, else the first usable one. */
export function chosenModel(models: readonly PlayModel[], wanted: string | undefined): string {
  const usable = models.filter(canAnswer)
  const named = usable.find((model) => model.id === wanted || (wanted !== undefined && model.aliases.includes(wanted)))
  return (named ?? usable[0] ?? models[0])?.id ?? ''
}
