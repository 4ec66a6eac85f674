/**
 * Serves a model by calling other servers. Runs in the server's own process, since it only uses HTTP and no native
 * code.
 */
import { createHmac } from 'node:crypto'
import { ApiError, errorData } from '../../core/errors.ts'
import type { ModelManifest } from '../../core/model.ts'
import type { EngineInfo } from '../../core/model-state.ts'
import { type RequestTrace, traceHeaders } from '../../core/trace.ts'
import type { UpstreamServers } from '../../core/upstream.ts'
import type { Consumption } from '../../core/usage.ts'
import { kindsOfWork, type Work, type WorkKind } from '../../core/work.ts'
import type { Engine, EngineStats, LoadEngine } from '../protocol/engine.ts'
import { LoadError } from '../protocol/load-error.ts'
import type { RequestEvent } from '../protocol/request-events.ts'
import { prepareChat } from './chat/chat-work.ts'
import { prepareCount } from './count/count.ts'
import type { Endpoints } from './endpoints/endpoints.ts'
import { flavors } from './flavors.ts'
import type { UpstreamHost } from './host.ts'
import { UpstreamFailure } from './http/failure.ts'
import { defaultLimits } from './http/request.ts'
import { prepareDraw } from './images/draw.ts'
import { passedOn } from './inferd/passed-on.ts'
import { prepareModerate } from './moderations/moderate.ts'
import type { UpstreamSettings } from './settings.ts'
import { prepareSpeak } from './speech/speak.ts'
import { prepareTranscribe } from './speech/transcribe.ts'
import { prepareEmbed } from './texts/embed.ts'
import { prepareRerank } from './texts/rerank.ts'
import { prepareTokens } from './tokens/tokens.ts'
import type { AskedServers } from './work/ask-servers.ts'
import { FailureLog } from './work/failure-log.ts'
import { clientError } from './work/failures.ts'
import { RequestLife } from './work/request-life.ts'
import type { OutputOf, PrepareWork, UpstreamWork } from './work/upstream-work.ts'

/**
 * Default context if neither the manifest nor a server states one. A server with a smaller context refuses long
 * requests.
 */
const usualContextTokens = 131_072

/**
 * Least limit until the first event, which includes the server's queue and its work on a long prompt, however short
 * inferd's own queue limit is.
 */
const minimumFirstByteMs = 60_000

export function upstreamEngine(host: UpstreamHost): LoadEngine<WorkKind, UpstreamSettings> {
  return async ({ model: { manifest }, emit, signal }) => {
    const { upstream } = manifest
    if (upstream === undefined) throw new LoadError('bad-model', `${manifest.id} names no servers: this is a bug`)
    const key = await host.readKey(manifest.id, upstream).catch((error: unknown) => {
      if (error instanceof LoadError) host.endpoints.noteNoKey(manifest.id, upstream, error.message)
      throw error
    })
    const endpoints = host.endpoints.open(manifest.id, upstream, key)
    signal?.addEventListener('abort', () => endpoints.close(), { once: true })
    try {
      const limits = [await endpoints.check(), manifest.contextLength].filter((limit) => limit !== undefined)
      const stated = limits.length === 0 ? undefined : Math.min(...limits)
      signal?.throwIfAborted()
      return new UpstreamEngine({ host, manifest, upstream, key, endpoints, stated, emit, signal })
    } catch (error) {
      endpoints.close()
      throw error
    }
  }
}

interface UpstreamEngineOptions {
  readonly host: UpstreamHost
  readonly manifest: ModelManifest
  readonly upstream: UpstreamServers
  readonly key: string | undefined
  readonly endpoints: Endpoints
  /** Most tokens of a prompt and its answer that the manifest or a server states. */
  readonly stated: number | undefined
  readonly emit: (events: readonly RequestEvent[]) => void
  readonly signal: AbortSignal | undefined
}

class UpstreamEngine implements Engine {
  readonly info: EngineInfo
  readonly #options: UpstreamEngineOptions
  readonly #servers: AskedServers
  readonly #failures: FailureLog
  readonly #requests = new Map<number, RequestLife>()
  #steps = 0
  #totals = { decodedPromptTokens: 0, reusedPromptTokens: 0, generatedTokens: 0 }

  constructor(options: UpstreamEngineOptions) {
    const { host, manifest, upstream, key, endpoints, stated, signal } = options
    const { flavor, maxConcurrent } = upstream
    const count = upstream.endpoints.length
    this.#failures = new FailureLog({ ...host, modelId: manifest.id, key })
    const firstByteMs = Math.max(minimumFirstByteMs, endpoints.waitLimitMs)
    this.#options = options
    this.info = {
      device: 'upstream',
      description: `${flavor}, ${count} ${count === 1 ? 'endpoint' : 'endpoints'}`,
      contextTokens: stated ?? usualContextTokens,
      ...(stated === undefined && { isContextAssumed: true }),
      parallel: count * maxConcurrent,
    }
    this.#servers = {
      ...{ endpoints, key, clock: host.clock },
      limits: { ...defaultLimits, firstByteMs, ...host.limits },
      isClientFault: (failure) => !['engine', 'unavailable'].includes(this.#clientError(failure).kind),
      onFailure: (failure, url) => this.#failures.add(failure, url),
    }
    signal?.addEventListener('abort', () => this.#endAll(), { once: true })
  }

  run(id: number, accountId: string, work: Work, trace?: RequestTrace): void {
    const { emit } = this.#options
    let prepared: UpstreamWork<OutputOf<WorkKind>>
    try {
      prepared = this.#prepare(accountId, work)
    } catch (error) {
      emit([{ id, error: errorData(this.#clientError(error)) }])
      return
    }
    const life = new RequestLife({
      ...{ id, accountId, work: prepared, servers: { ...this.#servers, headers: this.#headers(trace) } },
      isFree: kindsOfWork[work.kind].paid === 'free',
      send: (events) => {
        this.#steps++
        emit(events)
      },
      clientError: (error) => this.#clientError(error),
      onEnd: (used) => this.#forget(id, used),
    })
    this.#requests.set(id, life)
    life.begin()
  }

  grant(...[id, grant]: Parameters<Engine['grant']>): void {
    this.#requests.get(id)?.grant(grant)
  }

  cancel(id: number): void {
    this.#requests.get(id)?.cancel()
  }

  pause(id: number, isPaused: boolean): void {
    this.#requests.get(id)?.pause(isPaused)
  }

  useThreads(): void {
    // This engine computes nothing.
  }

  /** Returns the counters. Each call counts as a step. No watchdog is needed, since every wait has a limit. */
  stats(): EngineStats {
    this.#steps++
    const all = [...this.#requests.values()]
    const running = all.filter(({ isRunning }) => isRunning).length
    return { ...this.#totals, steps: this.#steps, threads: 0, running, waiting: all.length - running }
  }

  #prepare(accountId: string, { kind, request }: Work): UpstreamWork<OutputOf<WorkKind>> {
    const { manifest, upstream, host } = this.#options
    const { contextTokens } = this.info
    const prepare: PrepareWork<never> | undefined = works[kind]
    if (prepare === undefined) throw new Error(`no upstream server can ${kind}: this is a bug`)
    const { flavor, model: modelThere } = upstream
    const cacheSalt = createHmac('sha256', host.saltSecret).update(accountId).digest('base64url')
    const context = { manifest, flavor, modelThere, contextTokens, cacheSalt }
    // The row matches the request's kind.
    return prepare(request as never, context)
  }

  /** Returns headers with the origin of a request, for another inferd. */
  #headers(trace: RequestTrace | undefined): Readonly<Record<string, string>> {
    const { host, upstream } = this.#options
    return trace !== undefined && flavors[upstream.flavor].isInferd ? traceHeaders(trace, host.boxId) : {}
  }

  #clientError(error: unknown): ApiError {
    const { manifest, upstream } = this.#options
    if (!(error instanceof ApiError || error instanceof UpstreamFailure)) this.#failures.addOwn(error)
    const passed = flavors[upstream.flavor].isInferd ? passedOn(error) : undefined
    return passed ?? clientError(error, manifest.id, this.info.contextTokens)
  }

  #forget(id: number, { promptTokens, cachedTokens, completionTokens }: Consumption): void {
    this.#requests.delete(id)
    this.#totals = {
      decodedPromptTokens: this.#totals.decodedPromptTokens + promptTokens - cachedTokens,
      reusedPromptTokens: this.#totals.reusedPromptTokens + cachedTokens,
      generatedTokens: this.#totals.generatedTokens + completionTokens,
    }
  }

  #endAll(): void {
    for (const life of [...this.#requests.values()]) life.cancel()
  }
}

/** Preparation of each kind of work for upstream servers. Absent kinds are not served. */
const works: { readonly [Kind in WorkKind]?: PrepareWork<Kind> } = {
  chat: prepareChat,
  count: prepareCount,
  tokens: prepareTokens,
  embed: prepareEmbed,
  rerank: prepareRerank,
  transcribe: prepareTranscribe,
  speak: prepareSpeak,
  draw: prepareDraw,
  moderate: prepareModerate,
}
