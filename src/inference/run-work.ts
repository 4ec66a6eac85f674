/** Authorised work of any kind, from a request to events, with its money held before and settled after. */
import type { ResolvedModel } from '../catalog/catalog.ts'
import { ApiError } from '../core/errors.ts'
import { type InstalledModel, type ModelAlias, type ModelManifest, pricingOf } from '../core/model.ts'
import type { RequestFinish } from '../core/request-record.ts'
import type { Scores, Vectors } from '../core/texts.ts'
import type { RequestTrace } from '../core/trace.ts'
import type { FinishEvent } from '../core/usage.ts'
import type { SearchService } from '../core/web-search.ts'
import { kindsOfWork, type Work, type WorkEvent } from '../core/work.ts'
import { engineTable } from '../engines/engine-table.ts'
import { type RequestContext, unlimited, type WorkEngines } from '../engines/protocol/work-engines.ts'
import { Bill, type BillOptions, type PaidRequest } from './bill.ts'
import { requireComplete, requirePossible } from './check-work.ts'
import { labelSpeakers } from './label-speakers.ts'
import { moderate } from './moderate.ts'
import { withOfferedSearch } from './offered-search.ts'
import { installedModel, requireType } from './resolve-model.ts'
import { type SearchingRequest, searchPasses } from './search-passes.ts'
import { withDefaults } from './with-defaults.ts'
import { leastUse, slicesOf, statedUse, WorkMeter } from './work-meter.ts'

/** Money, signal and clock of a paid request. */
export interface Payment extends Omit<BillOptions, 'request'> {
  readonly request: PaidRequest
  /** Output tokens held at a time for an answer without a limit. */
  readonly sliceTokens: number
  /** Address of the page where funds are added */
  readonly billingUrl: string
  /** Search server that models may ask. Undefined if the operator has named none. */
  readonly searching?: SearchService | undefined
  /** See `WorkMeterOptions.holdTokens`. */
  readonly holdTokens?: ((tokens: number) => void) | undefined
}

interface RunWorkOptions<Asked extends Work> {
  readonly work: Asked
  readonly resolved: ResolvedModel
  readonly pool: WorkEngines
  readonly payment: Payment
  /** Bill that already holds money for the request. */
  readonly bill?: Bill | undefined
  /** Longest time to wait for the model, if the client limits it */
  readonly waitLimitMs?: number | undefined
  /** Time that the model stays loaded without requests after this one. */
  readonly keepAliveMs?: number | undefined
  /** Trace headers for upstream servers. */
  readonly trace?: RequestTrace | undefined
  /** See `RequestContext.onAgain`. Used for answers that are sent only when complete. */
  readonly onAgain?: (() => void) | undefined
  /** Completes the work by an earlier step, once it is known that the account could pay for the work. */
  readonly complete?: ((work: Work) => Promise<Work>) | undefined
}

export interface RunningWork<Event extends WorkEvent> {
  /** Settlement of the request once there is one, and its times */
  readonly bill: Pick<Bill, 'settlement' | 'times'>
  /** Events of the work. Read them to their end, or return the generator early. */
  readonly events: AsyncGenerator<Event>
}

/**
 * Runs work, loading the model if necessary. Refusals come before the first event, as an ApiError that can still
 * become a status; `events` throws later failures too. Money is held before anything is computed, and `finish` comes
 * after the charge is on disk. Aborting the payment's signal ends the engine's work, and `events` throws the signal's
 * reason. Nothing stays held, however the work ends.
 */
export function runWork<Asked extends Work>(options: RunWorkOptions<Asked>): RunningWork<WorkEvent<Asked['kind']>> {
  const { work, resolved, payment } = options
  const { manifest } = resolved.entry
  requireType(resolved, kindsOfWork[work.kind].modelTypes, payment.request.endpoint)
  requirePossible(work, manifest)
  const model = installedModel(resolved.entry)
  const asked = completed(work, manifest, resolved.alias, payment.searching)
  const searchNanoUsd = isSearching(asked) ? payment.searching?.priceNanoUsd : undefined
  const bill = options.bill ?? billOf(manifest, payment, searchNanoUsd)
  const events = paidEvents(options, { model, bill, asked })
  return { bill, events: events as AsyncGenerator<WorkEvent<Asked['kind']>> } // engines answer each kind with its own events
}

/** Loads a model ahead of its first request if the account can pay for a token of it. Throws ApiError. */
export async function loadAhead({ resolved, pool, payment }: LoadOptions): Promise<void> {
  const model = installedModel(resolved.entry)
  requireLoadable(billOf(model.manifest, payment), model, payment)
  await pool.load(model, payment.signal)
}

interface LoadOptions {
  readonly resolved: ResolvedModel
  readonly pool: { load(model: InstalledModel, signal: AbortSignal): Promise<void> }
  readonly payment: Payment
}

/** Creates the bill of a request to that model. */
export function billOf(manifest: ModelManifest, payment: Payment, searchNanoUsd?: number): Bill {
  const { pricing, isPriced } = pricingOf(manifest)
  const prices = { isPriced, pricing: searchNanoUsd === undefined ? pricing : { ...pricing, searchNanoUsd } }
  return new Bill({ ...payment, request: { ...payment.request, model: manifest.id, ...prices } })
}

interface BegunWork {
  readonly model: InstalledModel
  readonly bill: Bill
  /** The work as the engine gets it. */
  readonly asked: Work
}

async function* paidEvents(
  { work, pool, payment, waitLimitMs, keepAliveMs, trace, onAgain, complete }: RunWorkOptions<Work>,
  { model, bill, asked }: BegunWork,
): AsyncGenerator<WorkEvent> {
  const { sliceTokens, billingUrl, signal, request } = payment
  const isFree = kindsOfWork[work.kind].paid === 'free'
  let hasStarted = false
  let result: Vectors | Scores | undefined
  let finish: RequestFinish = 'stop'
  let settled: Promise<void> | undefined
  const beginAgain = () => {
    hasStarted = false
    result = undefined
    finish = 'stop'
    onAgain?.()
  }
  const settle = async (event: FinishEvent) => {
    requireComplete(work, result)
    if (!isFree) await bill.finish(event.usage, finish, event.isEstimated)
  }
  /**
   * Records each event when it arrives from the engine, and again when it is read, so that the settlement begins
   * before the last event is read.
   */
  const note = (event: WorkEvent) => {
    if (event.type === 'start') {
      if (!hasStarted) bill.started()
      hasStarted = true
    } else if (isPartOfAnswer(event)) bill.hasOutput()
    if ('values' in event) result = event
    if (event.type === 'choice-finish') finish = finishAfter(finish, event, meter.cutBy)
    if (event.type !== 'finish' || settled !== undefined || !hasStarted) return
    settled = settle(event)
    settled.catch(() => undefined) // the reader of the event throws it
  }
  const meter = new WorkMeter({
    bill,
    slices: slicesOf(work, sliceTokens),
    billingUrl,
    holdTokens: payment.holdTokens,
    onEvent: note,
  })
  if (isFree) requireLoadable(bill, model, payment)
  else meter.check(statedUse(work))
  const context = {
    accountId: request.owner,
    signal,
    waitLimitMs,
    keepAliveMs,
    trace,
    meter: isFree ? unlimited : meter,
    onAgain: onAgain && beginAgain,
  }
  try {
    const whole = complete === undefined ? asked : await complete(asked)
    for await (const event of engineEvents(pool, model, whole, { context, meter, searching: payment.searching })) {
      note(event)
      if (!hasStarted) throw new Error('the engine did not begin with a start event: this is a bug')
      if (event.type === 'finish') await settled
      yield event
      if (event.type === 'finish') return
    }
  } finally {
    await bill.close()
  }
  throw new Error('the engine ended without a finish event: this is a bug')
}

/** Returns whether the event brings a part of an answer. Its arrival marks the first output. */
function isPartOfAnswer(event: WorkEvent): boolean {
  return (
    'choice' in event ||
    event.type === 'segment' ||
    event.type === 'audio' ||
    event.type === 'image' ||
    event.type === 'verdict'
  )
}

interface EventSources {
  readonly context: RequestContext
  readonly meter: WorkMeter
  readonly searching: SearchService | undefined
}

/** Returns whether the model of this chat may search the web. */
function isSearching(work: Work): work is { readonly kind: 'chat'; readonly request: SearchingRequest } {
  return work.kind === 'chat' && work.request.webSearch !== undefined
}

function engineEvents(
  pool: WorkEngines,
  model: InstalledModel,
  work: Work,
  { context, meter, searching }: EventSources,
): AsyncGenerator<WorkEvent> {
  if (work.kind === 'moderate' && model.manifest.type !== 'moderation') {
    return moderate({ engines: pool, model, work, context, meter })
  }
  if (isSearching(work) && searching !== undefined) {
    return searchPasses({ engines: pool, model, request: work.request, context, meter, service: searching })
  }
  const { labelsSpeakers = false } = engineTable[model.manifest.engine]
  const needsDiarizer = work.kind === 'transcribe' && work.request.speakers !== undefined && !labelsSpeakers
  return needsDiarizer ? labelSpeakers(pool, model, work.request, context) : pool.run(model, work, context)
}

/** Returns work with the defaults of its model and alias, and with the search of this server, if its kind has any. */
function completed(
  work: Work,
  manifest: ModelManifest,
  alias: ModelAlias | undefined,
  searching: SearchService | undefined,
): Work {
  if (work.kind === 'tokens') {
    const { request } = work
    return 'messages' in request
      ? { ...work, request: { ...request, ...withDefaults(request, manifest, alias) } }
      : work
  }
  if (work.kind !== 'chat' && work.kind !== 'count') return work
  return { kind: work.kind, request: withOfferedSearch(withDefaults(work.request, manifest, alias), searching) }
}

/** Requires that the account could pay for a token before a model is loaded, also for free work. */
function requireLoadable(bill: Bill, { manifest }: InstalledModel, { wasLoaded, billingUrl }: Payment): void {
  const cover = bill.check({ ...leastUse(undefined), completionTokens: 1 })
  if (cover.isEnough || wasLoaded) return
  throw new ApiError(
    'insufficient_balance',
    `This is free, but model '${manifest.id}' is not loaded, which is done for accounts that could pay for a token of it. Add funds at ${billingUrl}`,
    { code: 'insufficient_balance' },
  )
}

type ChoiceFinish = Extract<WorkEvent, { type: 'choice-finish' }>

/** Finishes of a choice, in ascending order of relevance. */
const ranks: readonly RequestFinish[] = [
  'stop',
  'tool_calls',
  'length',
  'out_of_balance',
  'out_of_budget',
  'repetition',
]

/** Returns one finish for all choices: the one most relevant on the receipt. */
function finishAfter(before: RequestFinish, choice: ChoiceFinish, cutBy: WorkMeter['cutBy']): RequestFinish {
  const finish = finishOf(choice, cutBy)
  return ranks.indexOf(finish) > ranks.indexOf(before) ? finish : before
}

function finishOf({ reason, isRepetition, isContextFull }: ChoiceFinish, cutBy: WorkMeter['cutBy']): RequestFinish {
  if (isRepetition === true) return 'repetition'
  if (reason === 'tool-calls') return 'tool_calls'
  return reason === 'length' && isContextFull !== true ? (cutBy ?? reason) : reason
}
