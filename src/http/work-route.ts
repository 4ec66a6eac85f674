import { ApiError } from '../core/errors.ts'
import type { Owner } from '../core/owner.ts'
import { within } from '../core/within.ts'
import { kindsOfWork, type Work, type WorkEvent } from '../core/work.ts'
import { installedModel } from '../inference/resolve-model.ts'
import { loadAhead, type RunningWork, runWork } from '../inference/run-work.ts'
import type { AnswerContext, AnswerHead, WorkCall, WorkDialect } from '../wire/dialect.ts'
import { acceptRequest, type RequestServices } from './accept-request.ts'
import type { KeyHolder } from './authenticate.ts'
import { progressOf } from './dashboard/progress.ts'
import type { Exchange } from './exchange.ts'
import { admit, type LimitServices } from './limits.ts'
import { docsUrl } from './page-urls.ts'
import { cancellation, costHeaders, paymentOf } from './payment.ts'
import type { KeyHandler } from './route.ts'
import { spooledAnswer } from './spooled-answer.ts'
import { eventStreamHead, firstPieces, streamedAnswer } from './streamed-answer.ts'
import { traceOf } from './trace.ts'
import { transcribedFor } from './transcribe-sounds.ts'
import { wholeAnswer, workAnswer } from './work-answer.ts'

type AnswerServices = 'clock' | 'newId' | 'config' | 'recentItems'
/** Services by which work is served. */
type WorkServices =
  | RequestServices
  | AnswerServices
  | LimitServices
  | 'boxId'
  | 'uploads'
  | 'requests'
  | 'stores'
  | 'log'

/**
 * Returns the handler of one dialect. Refusals by this server or the engine become a status, also for streams, unless
 * the engine takes longer than `silentWaitMs`.
 */
export function workRoute<Call extends WorkCall, Event extends WorkEvent>(
  dialect: WorkDialect<Call, Event>,
): KeyHandler<WorkServices> {
  const isFree = kindsOfWork[dialect.kind].paid === 'free'
  return async (exchange, holder) => {
    const { observer, services } = exchange
    observer.endpoint = dialect.endpoint
    const progress = dialect.file === undefined ? undefined : progressOf(exchange, holder)
    const begunMs = performance.now()
    const trace = traceOf(exchange)
    const ending = cancellation(exchange.request.signal)
    const admission = admit(exchange, holder, dialect.endpoint)
    const {
      call,
      resolved,
      bill: held,
      documentPages,
      sounds,
      ...files
    } = await acceptRequest(exchange, { ...holder, ending, admission }, dialect, progress)
    const { id } = resolved.entry.manifest
    dialect.require?.(call, resolved.entry.manifest, services.config.textLimits)
    const keepAliveMs = keepAliveOf(exchange, holder, call)
    // A dialect's requests have the type of its kind of work.
    const work = { kind: dialect.kind, request: { ...call.request, ...files, ...(sounds && { sounds }) } } as Work
    if (progress !== undefined && work.kind === 'transcribe') {
      progress.queued(id, work.request.audio, work.request.speakers !== undefined)
      observer.listen((event) => progress.heard(event))
    }
    const payment = paymentOf(exchange, { ...holder, endpoint: dialect.endpoint }, id, ending, admission)
    services.requests.begin({ id: observer.requestId, record: () => observer.record(), cancel: ending.cancel })
    const context = answerContext(exchange, holder.owner, id, begunMs)
    let running: RunningWork<Event> | undefined
    try {
      if (call.isEmpty === true && dialect.emptyAnswer !== undefined) {
        installedModel(resolved.entry)
        if (call.keepAliveMs !== 0) await loadAhead({ resolved, pool: services.pool, payment })
        if (keepAliveMs !== undefined) services.pool.keepAlive(id, keepAliveMs)
        return Response.json(dialect.emptyAnswer(call, context))
      }
      const waitLimitMs = preferredWaitMs(exchange.request.headers.get('prefer') ?? '')
      const answer = workAnswer(dialect, call, context)
      const heard = transcribedFor(exchange, sounds, resolved, payment)
      running = runWork({
        work,
        resolved,
        pool: services.pool,
        payment: heard === undefined ? payment : { ...payment, till: heard.till.ofRequest },
        bill: held,
        waitLimitMs,
        keepAliveMs,
        trace,
        onAgain: answer.type === 'streamed' ? undefined : () => answer.parts.renew(),
        complete: heard?.complete,
      }) as RunningWork<Event>
      const { bill, events } = running
      if (!isFree) observer.watch(bill, () => services.requests.hasOutput(observer.requestId))
      const facts: [string, string][] = [['x-model-canonical', id]]
      if (heard !== undefined) facts.push(['x-audio-transcribed-by', heard.by])
      if (documentPages !== undefined) facts.push(['x-document-pages', String(documentPages)])
      if (answer.type === 'whole') {
        const { head, text } = await wholeAnswer(events, answer.parts, observer)
        return new Response(text, {
          headers: headersOf(head, ...facts, ...costHeaders(bill.settlement, heard?.till.costNanoUsd)),
        })
      }
      if (answer.type === 'spooled') {
        const { head = eventStreamHead } = answer.parts.current
        const body = await spooledAnswer(exchange, holder, events, answer.parts)
        return new Response(body, { headers: headersOf(head, ...facts, ...costHeaders(bill.settlement)) })
      }
      const { encoder } = answer
      const { head = eventStreamHead } = encoder
      const first = firstPieces(events, encoder, observer)
      // A failure before the stream is read would count as unhandled.
      first.catch(() => undefined)
      const begun =
        encoder.keepAlive === undefined
          ? await first
          : await within(first, services.config.silentWaitMs, () => undefined)
      const body = streamedAnswer(exchange, begun ?? first, events, encoder)
      return new Response(body, { headers: headersOf(head, ...facts) })
    } catch (error) {
      await running?.events.return(undefined)
      throw inTermsOf(dialect, call, error)
    }
  }
}

function headersOf({ contentType, headers = {} }: AnswerHead, ...others: [name: string, value: string][]): Headers {
  return new Headers([['content-type', contentType], ...Object.entries(headers), ...others])
}

/** Returns the longest wait in the header `Prefer: wait=10` (RFC 7240), or undefined. */
export function preferredWaitMs(prefer: string): number | undefined {
  const seconds = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,6})"?\s*(?:$|[,;])/i.exec(prefer)?.[1]
  return seconds === undefined ? undefined : Number(seconds) * 1000
}

/** Returns the error with the field named as the client knows it, also in the message. */
function inTermsOf<Call extends WorkCall>(
  { toCallersParam }: Pick<WorkDialect<Call, never>, 'toCallersParam'>,
  call: Call,
  error: unknown,
): unknown {
  if (!(error instanceof ApiError) || error.param === undefined || toCallersParam === undefined) return error
  const param = toCallersParam(call, error.param)
  const message = error.message.replaceAll(`'${error.param}'`, `'${param}'`)
  return new ApiError(error.kind, message, { ...error, cause: error.cause, param })
}

/**
 * Returns the requested time if the account is an operator's, else undefined: a loaded model uses the operator's
 * memory.
 */
function keepAliveOf({ services }: Exchange<'stores'>, { accountId }: KeyHolder, call: WorkCall): number | undefined {
  if (call.keepAliveMs === undefined) return undefined
  return services.stores.accounts.isOperator(accountId) ? call.keepAliveMs : undefined
}

function answerContext(
  { services, observer, baseUrl }: Exchange<AnswerServices>,
  owner: Owner,
  modelId: string,
  begunMs: number,
): AnswerContext {
  const now = () => Math.floor(services.clock() / 1000)
  return {
    newId: services.newId,
    created: now(),
    now,
    nowText: () => new Date(services.clock()).toISOString(),
    elapsedMs: () => performance.now() - begunMs,
    fingerprint: `fp_inferd_${services.config.version}`,
    modelId,
    requestId: observer.requestId,
    docsUrl: (code) => docsUrl(code, baseUrl),
    repeatsReasoning: services.config.repeatsReasoning,
    keepItem: (item) => services.recentItems.keep(owner, item),
  }
}
