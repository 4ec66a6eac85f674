/** Figures of the running server for operators, current and of the last day. */
import type { Notice, Rates, ServerState } from '../core/live.ts'
import type { ModelState, WatchedModel } from '../core/model-state.ts'
import type { RequestRecord } from '../core/request-record.ts'
import type { MemoryPoolReport } from '../engines/pool.ts'
import type { SampleMachine } from '../machine/sample-machine.ts'
import { EngineWatch, type WatchedPool } from './engine-watch.ts'
import { Feed } from './feed.ts'
import { type HistoryKind, Latencies, Series } from './history.ts'
import { MachineWatch } from './machine-watch.ts'
import { serverState } from './notices.ts'
import type { RecentRequests } from './recent-requests.ts'
import type { RingRows } from './time-ring.ts'

const everyMs = 1_000
const errorsOverSeconds = 60

interface TelemetryOptions {
  readonly pool: WatchedPool & {
    report(): { readonly engines: readonly ModelState[]; readonly pools: readonly MemoryPoolReport[] }
  }
  readonly requests: RecentRequests
  readonly sampleMachine: SampleMachine
  readonly waitingMails: () => number
  /** Notices from other parts of the server. */
  readonly otherNotices: () => readonly Notice[]
  /** Milliseconds UTC. */
  readonly clock: () => number
}

export class Telemetry {
  readonly rates = new Feed<Rates>()
  /** Engines that have changed. */
  readonly engines = new Feed<readonly WatchedModel[]>()
  readonly state = new Feed<ServerState>()
  readonly machine: MachineWatch
  /** Start of the history, milliseconds UTC. */
  readonly sinceMs: number
  readonly #options: TelemetryOptions
  readonly #watch: EngineWatch
  readonly #ratesSeries = new Series('rates')
  readonly #engineSeries = new Map<string, Series>()
  readonly #latencies = new Latencies()
  /** Server faults per second of the last minute. */
  readonly #faults = new Map<number, number>()
  /** Last state sent to pages by engine, as text. */
  readonly #told = new Map<string, string>()
  #toldState = ''
  #timer: Timer | undefined

  constructor(options: TelemetryOptions) {
    this.#options = options
    const { pool, clock, requests } = options
    this.#watch = new EngineWatch(pool, clock)
    this.machine = new MachineWatch({ sample: options.sampleMachine, report: () => pool.report(), clock })
    this.sinceMs = clock()
    requests.onEnd((record) => this.#note(record))
  }

  /** Samples the server each second. The timer keeps no process alive. */
  start(): void {
    // The next tick repeats a read that failed, for example while the disk fails.
    this.#timer ??= setInterval(() => void this.tick().catch(() => undefined), everyMs).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Samples the server once. Resolves when the working engines have answered. */
  async tick(): Promise<void> {
    this.machine.tick(this.state.isFollowed)
    const answers = this.#watch.look()
    this.#draw()
    await answers
  }

  models(): readonly WatchedModel[] {
    return this.#watch.models()
  }

  /** Returns the current summary and notices. */
  stateNow(): ServerState {
    const { waitingMails, otherNotices, clock } = this.#options
    return serverState({
      engines: this.#watch.models(),
      machine: this.machine.recent,
      waitingMails: waitingMails(),
      others: otherNotices(),
      nowMs: clock(),
    })
  }

  /** Returns a series; undefined for an unknown name. `model` selects the engine's series. */
  history(kind: HistoryKind, window: '10m' | '24h', model?: string): RingRows | undefined {
    const nowMs = this.#options.clock()
    if (kind === 'latency') return this.#latencies.read(window, nowMs)
    return (kind === 'rates' ? this.#ratesSeries : this.#engineSeries.get(model ?? ''))?.read(window, nowMs)
  }

  #draw(): void {
    const atMs = this.#options.clock()
    const engines = this.#watch.models()
    const rates = this.#ratesOf(engines, atMs)
    const { outputTokensPerSecond, promptTokensPerSecond, running, waiting, errorsPerMinute } = rates
    this.#ratesSeries.add(atMs, [outputTokensPerSecond, promptTokensPerSecond, running, waiting, errorsPerMinute])
    for (const engine of engines) this.#keep(engine, atMs)
    this.rates.set(rates)
    if (this.engines.isFollowed) this.#tellEngines(engines)
    if (this.state.isFollowed) this.#tellState()
  }

  #ratesOf(engines: readonly WatchedModel[], atMs: number): Rates {
    const sum = (of: (engine: WatchedModel) => number) => engines.reduce((total, engine) => total + of(engine), 0)
    return {
      atMs,
      outputTokensPerSecond: sum((engine) => engine.outputTokensPerSecond),
      promptTokensPerSecond: sum((engine) => engine.promptTokensPerSecond),
      ...this.#options.requests.counts,
      errorsPerMinute: this.#faultsUntil(atMs),
    }
  }

  #keep({ modelId, outputTokensPerSecond, promptTokensPerSecond, running, waiting }: WatchedModel, atMs: number): void {
    const series = this.#engineSeries.get(modelId) ?? new Series('engine')
    this.#engineSeries.set(modelId, series)
    series.add(atMs, [outputTokensPerSecond, promptTokensPerSecond, running, waiting])
  }

  #tellEngines(engines: readonly WatchedModel[]): void {
    const changed = engines.filter((engine) => {
      const text = steadyText(engine)
      const isNew = this.#told.get(engine.modelId) !== text
      this.#told.set(engine.modelId, text)
      return isNew
    })
    if (changed.length > 0) this.engines.set(changed)
  }

  #tellState(): void {
    const state = this.stateNow()
    const text = JSON.stringify(state)
    if (text === this.#toldState) return
    this.#toldState = text
    this.state.set(state)
  }

  #note({ model, status = 0, firstOutputMs, cause }: RequestRecord): void {
    if (model !== undefined) this.#watch.noteWork(model)
    const atMs = this.#options.clock()
    if (firstOutputMs !== undefined) this.#latencies.add(atMs, firstOutputMs)
    if (status < 500 && cause === undefined) return
    const second = Math.floor(atMs / 1000)
    this.#faults.set(second, (this.#faults.get(second) ?? 0) + 1)
  }

  #faultsUntil(atMs: number): number {
    const now = Math.floor(atMs / 1000)
    for (const second of this.#faults.keys()) {
      const isOfMinute = second > now - errorsOverSeconds && second <= now
      if (!isOfMinute) this.#faults.delete(second)
    }
    return [...this.#faults.values()].reduce((total, count) => total + count, 0)
  }
}

/** Returns the parts of a model's state that change only by events, without times that pass by themselves. */
function steadyText({ loadingMs, unloadsInMs, retryInMs, longestWaitMs, ...steady }: WatchedModel): string {
  return JSON.stringify(steady)
}
