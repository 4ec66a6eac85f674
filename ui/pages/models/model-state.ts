/** A model's state in words. Pure. */

import type { OperationJson } from '../../../src/operations/money-text.ts'
import type { DownloadEvent, EngineEvent } from '../../../src/wire/pages/live.ts'
import { bytesText } from '../../parts/bytes-text.ts'
import { downloadText } from '../../parts/operator/download-bar.tsx'
import type { StateTone } from '../../parts/state-word.tsx'
import { texts } from '../../texts/operator-texts.ts'

export type ModelListed = OperationJson<'models-list'>['models'][number]

/** Listed row of a model, with the latest states of its engine and download. */
export interface LiveModel {
  readonly row: ModelListed
  readonly engine: EngineEvent | undefined
  readonly pull: DownloadEvent | undefined
}

interface StateText {
  readonly tone: StateTone
  readonly word: string
  /** Reason, progress or duration */
  readonly more: string
}

export const engineTones: Readonly<Record<EngineEvent['state'], StateTone>> = {
  ...{ ready: 'ok', draining: 'busy', estimating: 'busy', starting: 'busy', stopping: 'busy' },
  ...{ failed: 'bad', stopped: 'off' },
}

export function engineStateOf({ row, engine }: LiveModel): EngineEvent['state'] {
  return engine?.state ?? row.engineState
}

/** Returns whether the model is loaded, preferably by the engine's state. */
export function isLoaded({ row, engine }: LiveModel): boolean {
  return engine?.is_loaded ?? row.isLoaded
}

export function isPulled({ pull }: LiveModel): boolean {
  return pull?.state === 'running'
}

export function stateText(model: LiveModel): StateText {
  const { row, engine, pull } = model
  const words = texts.models.states
  if (pull?.state === 'running') return { tone: 'busy', word: words.downloading, more: downloadText(pull) }
  if (row.status === 'broken') return { tone: 'bad', word: words.broken, more: row.reason ?? '' }
  if (row.stoppedBytes !== null && pull?.state !== 'failed') {
    const size = row.downloadBytes === null ? '' : bytesText(row.downloadBytes)
    return { tone: 'waiting', word: words.interrupted, more: texts.models.partHere(bytesText(row.stoppedBytes), size) }
  }
  const failedPull = pull?.state === 'failed' ? texts.models.downloadFailed(pull.error ?? '') : ''
  if (row.status !== 'ready')
    return { tone: failedPull === '' ? 'off' : 'bad', word: words.available, more: failedPull }
  const state = engineStateOf(model)
  const waiting = engine?.waiting ?? row.waiting
  const more = [
    engine?.is_compiling ? texts.models.compiling : '',
    waiting > 0 ? texts.models.waiting(waiting) : '',
    state === 'failed' ? (engine?.last_failure?.reason ?? row.failure ?? '') : '',
  ]
  return { tone: engineTones[state], word: engineWord(model), more: more.filter((part) => part !== '').join(' · ') }
}

function engineWord(model: LiveModel): string {
  const { row, engine } = model
  const state = engineStateOf(model)
  const words = texts.models.states
  const parallel = engine?.parallel ?? row.parallel
  if (state === 'ready' && parallel !== null && parallel > 0) {
    return words.slots(engine?.running ?? row.running, parallel)
  }
  const progress = engine?.load_progress ?? row.loadedFraction
  return state === 'starting' && progress !== null ? words.loading(Math.round(progress * 100)) : words[state]
}

/** Returns the memory that the model uses or needs: "used 29.4 GB GPU 0", "estimate ≈ 2.1 GB RAM". */
export function memoryText(model: LiveModel): string {
  const { memory } = model.row
  if (memory === null) return ''
  const { estimated, memoryNames } = texts.models
  if (memory.source !== 'measured') return `${memoryNames.estimate} ${poolsText(memory.bytes, estimated)}`
  return `${isLoaded(model) ? memoryNames.used : memoryNames.usedBefore} ${poolsText(memory.bytes)}`
}

/** Returns the memory reserved for the model, used or not; empty if not loaded. */
export function reservedText({ row: { reserved } }: LiveModel): string {
  return reserved === null ? '' : poolsText(reserved)
}

/** Returns the layout of the KV cache with its reason; empty without one. */
export function cacheText({ engine }: Pick<LiveModel, 'engine'>): string {
  const layout = engine?.cache_layout ?? null
  if (layout === null) return ''
  const { oneCache, cacheForEach, cacheReasons } = texts.model
  const reason = cacheReasons[layout.reason]
  return layout.caches === 1 ? oneCache(reason) : cacheForEach(layout.caches, layout.tokens_each, reason)
}

/** Returns the shares of step time while the engine works; empty before its first step. */
export function stepsText({ engine }: Pick<LiveModel, 'engine'>): string {
  const shares = engine?.step_shares ?? null
  if (shares === null) return ''
  const percent = (share: number) => `${Math.round(100 * share)} %`
  return texts.model.stepShares(percent(shares.device), percent(shares.sampling), percent(shares.waiting))
}

export function poolsText(bytes: Readonly<Record<string, number | null>>, shown = (size: string) => size): string {
  return Object.entries(bytes)
    .flatMap(([pool, each]) =>
      each === null || each === 0 ? [] : [`${shown(bytesText(each))} ${texts.models.pools(pool)}`],
    )
    .join(', ')
}

/** Returns the verdict in few words. Without loaded models there is nothing to fit beside. */
export function fitWord({ verdict, heldBytes }: NonNullable<ModelListed['fit']>): string {
  const { fits, ...words } = texts.models.fitWords
  return verdict === 'fits' ? fits(heldBytes > 0) : words[verdict]
}

/** Returns whether the model fits into memory, in words; empty if unknown. */
export function fitText({ fit }: Pick<ModelListed, 'fit'>): string {
  if (fit === null) return ''
  return texts.models.fits[fit.verdict](
    texts.models.pools(fit.pool),
    bytesText(fit.freeBytes),
    bytesText(fit.needBytes),
  )
}

export const filters = {
  all: () => true,
  loaded: isLoaded,
  installed: ({ row }: LiveModel) => row.isInstalled,
  catalog: ({ row }: LiveModel) => row.status === 'available' || row.status === 'downloading',
  broken: (model: LiveModel) => model.row.status === 'broken' || engineStateOf(model) === 'failed',
} satisfies Readonly<Record<string, (model: LiveModel) => boolean>>

export type Filter = keyof typeof filters

export function isFilter(text: string): text is Filter {
  return Object.hasOwn(filters, text)
}
