/**
 * What holds after every event, whatever happens. It keeps its own books of processes, requests and memory from the events and
 * effects alone, so it shares no mistake with the scheduler.
 */
import type { MemoryBytes, PoolId } from '../../core/memory.ts'
import type { Effect, StopReason } from '../../scheduler/effects.ts'
import type { SchedulerEvent } from '../../scheduler/events.ts'
import type { Scheduler } from '../../scheduler/scheduler.ts'
import type { ModelSettings, SchedulerSettings } from '../../scheduler/settings.ts'

interface Process {
  readonly model: string
  reserved: MemoryBytes
  measured?: MemoryBytes
  state: 'starting' | 'ready' | 'stopping' | 'gone'
  goneAtMs: number
  hasServed: boolean
}

interface Waiter {
  readonly model: string
  readonly account: string
  readonly order: number
  readonly deadlineMs: number
  readonly takesPlace: boolean
}

interface Reading {
  totalBytes: number
  freeBytes: number
  atMs: number
}

const byPolicy: ReadonlySet<StopReason> = new Set(['evicted', 'pressure', 'keep-alive', 'unwanted', 'changed'])
const MiB = 1024 ** 2
/** How long the memory of a process that is gone is held at the longest. */
const releaseMs = 5_000
/** Jumps of the clock that the scheduler does not notice. */
const slackMs = 30

export class Invariants {
  readonly #scheduler: Scheduler
  #settings: SchedulerSettings = { pools: {}, models: [], waitingPerAccount: 0 }
  readonly #pinned = new Set<string>()
  #isClosing = false
  #processes: Process[] = []
  readonly #readings = new Map<PoolId, Reading | 'unknown'>()
  readonly #foreign = new Map<PoolId, number>()
  readonly #waiting = new Map<number, Waiter>()
  readonly #admitted = new Map<number, Waiter>()
  /** Model and account -> when it was last admitted, as a count of admissions. */
  readonly #lastAdmitted = new Map<string, number>()
  #count = 0
  /** From then on its times and the scheduler's differ: it trusts the scheduler about what time alone decides. */
  #hasJumped = false
  /** After the event before. */
  #draining: readonly string[] = []

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler
  }

  get waiting(): ReadonlyMap<number, Waiter> {
    return this.#waiting
  }

  get admitted(): ReadonlyMap<number, Waiter> {
    return this.#admitted
  }

  /** The scheduler's clock jumps. */
  noteJump(): void {
    this.#hasJumped = true
  }

  /** Throws what does not hold. `nowMs` does not jump. */
  check(event: SchedulerEvent, effects: readonly Effect[], nowMs: number): void {
    this.#processes = this.#processes.filter(
      ({ state, goneAtMs }) => state !== 'gone' || (!this.#hasJumped && goneAtMs + releaseMs > nowMs),
    )
    this.#note(event, nowMs)
    const draining = this.#models('draining')
    const drained = new Set(draining.filter((model) => this.#draining.includes(model)))
    this.#draining = draining
    for (const effect of effects) this.#checkEffect(effect, drained, nowMs)
    for (const [request, { deadlineMs }] of this.#waiting) {
      hold('I9', deadlineMs + slackMs > nowMs, `request ${request} waits for longer than it may`)
    }
    this.#checkLedger()
    if (!this.#hasJumped) return
    for (const { id, foreignBytes } of this.#scheduler.pools()) this.#foreign.set(id, foreignBytes)
  }

  #note(event: SchedulerEvent, nowMs: number): void {
    switch (event.type) {
      case 'configured':
        this.#settings = event.settings
        this.#pinned.clear()
        for (const { id, pinned } of event.settings.models) if (pinned) this.#pinned.add(id)
        break
      case 'request':
      case 'load': {
        const takesPlace = event.type === 'request'
        const account = event.type === 'request' ? event.account : ''
        const deadlineMs = nowMs + event.waitLimitMs
        this.#waiting.set(event.request, { model: event.model, account, order: this.#count++, deadlineMs, takesPlace })
        break
      }
      case 'cancel':
        this.#waiting.delete(event.request)
        break
      case 'finished':
        this.#admitted.delete(event.request)
        break
      case 'pin':
        this.#pinned.add(event.model)
        break
      case 'unpin':
      case 'unload':
        this.#pinned.delete(event.model)
        break
      case 'stop-all':
        this.#isClosing = true
        break
      case 'started': {
        const process = this.#live(event.model)
        if (process?.state !== 'starting') break
        process.state = 'ready'
        if (event.measured !== undefined) measure(process, event.measured)
        break
      }
      case 'start-failed': {
        const process = this.#live(event.model)
        if (process?.state === 'starting') process.state = 'stopping'
        break
      }
      case 'grew': {
        const process = this.#live(event.model)
        if (process !== undefined) measure(process, event.measured)
        break
      }
      case 'exited': {
        const process = this.#live(event.model)
        if (process === undefined) break
        process.state = 'gone'
        process.goneAtMs = nowMs
        for (const [request, { model }] of this.#admitted) if (model === event.model) this.#admitted.delete(request)
        break
      }
      case 'memory':
        for (const [pool, reading] of Object.entries(event.pools)) this.#read(pool, reading, nowMs)
        break
    }
  }

  #checkEffect(effect: Effect, drained: ReadonlySet<string>, nowMs: number): void {
    switch (effect.type) {
      case 'start': {
        const { model, placement } = effect
        hold('I4', this.#live(model) === undefined, `${model} is started although its process lives`)
        const reserved = this.#need(model, placement.needBytes)
        this.#checkRoom(model, reserved, nowMs)
        this.#processes.push({ model, reserved, state: 'starting', goneAtMs: 0, hasServed: false })
        break
      }
      case 'stop':
        this.#checkStop(effect.model, effect.why)
        break
      case 'admit':
        this.#checkAdmit(effect.request, effect.model, drained)
        break
      case 'reject':
        hold('I2', this.#waiting.delete(effect.request), `request ${effect.request} is rejected and does not wait`)
        break
    }
  }

  /** The scheduler may have learned that it needs more than was estimated: its own books say how much. */
  #need(model: string, estimated: MemoryBytes): MemoryBytes {
    const view = this.#scheduler.models().find(({ id }) => id === model)
    return maximum(estimated, view?.reserved ?? {})
  }

  #checkRoom(model: string, need: MemoryBytes, nowMs: number): void {
    hold('I1', !this.#isClosing, `${model} is started while the server stops`)
    for (const [pool, bytes] of Object.entries(need)) {
      if (bytes === 0) continue
      const reading = this.#readings.get(pool)
      if (reading === undefined || reading === 'unknown')
        throw broken('I8', `${model} is started while ${pool} is unknown`)
      hold('I8', nowMs - reading.atMs <= 5_000, `${model} is started on an old reading of ${pool}`)
      const kept = this.#kept(pool, reading.totalBytes)
      const { limitBytes = Number.POSITIVE_INFINITY } = this.#settings.pools[pool] ?? {}
      const room = Math.min(limitBytes, reading.totalBytes - kept - (this.#foreign.get(pool) ?? 0))
      const reserved = this.#reserved(pool)
      hold('I1', reserved + bytes <= room, `${model} needs ${bytes} of ${pool}, ${reserved} of ${room} are reserved`)
      hold(
        'I1',
        reading.freeBytes - bytes >= kept / 2,
        `${model} needs ${bytes} of ${pool}, ${reading.freeBytes} are free`,
      )
      const isLoading = this.#processes.some(
        ({ state, reserved: held }) => state === 'starting' && (held[pool] ?? 0) > 0,
      )
      hold('one load at a time', !isLoading, `${model} is started while another one loads into ${pool}`)
    }
  }

  #checkStop(model: string, why: StopReason): void {
    const process = this.#live(model)
    if (process === undefined) throw broken('I7', `${model} is stopped and has no process`)
    const isPolicy = byPolicy.has(why)
    const isOrdered = this.#isClosing || process.state === 'stopping'
    const admitted = [...this.#admitted.values()].some((request) => request.model === model)
    hold('I5', !admitted || isOrdered || why === 'stuck', `${model} is stopped (${why}) while requests run`)
    hold('I5', !isPolicy || !this.#pinned.has(model) || why === 'changed', `${model} is pinned and stopped (${why})`)
    const isAwaited = [...this.#waiting.values()].some((request) => request.model === model)
    hold(
      'I11',
      !isPolicy || why === 'changed' || process.hasServed || !isAwaited,
      `${model} is stopped (${why}) before it served those who wait for it`,
    )
    process.state = 'stopping'
  }

  #checkAdmit(request: number, model: string, drained: ReadonlySet<string>): void {
    const waiter = this.#waiting.get(request)
    if (waiter === undefined) throw broken('I2', `request ${request} is admitted and does not wait`)
    this.#waiting.delete(request)
    const process = this.#live(model)
    hold(
      'I3',
      process?.state === 'ready' && !drained.has(model),
      `request ${request} is admitted, ${model} is not ready`,
    )
    if (process !== undefined) process.hasServed = true
    if (!waiter.takesPlace) return
    const running = [...this.#admitted.values()].filter((other) => other.model === model)
    const { places = 0 } = this.#settingsOf(model) ?? {}
    const isFirst = running.every(({ account }) => account !== waiter.account) && running.length < 2 * places
    hold('I3', running.length < places || isFirst, `request ${request} is admitted beyond the places of ${model}`)
    this.#checkTurn(waiter, running.length < places)
    this.#admitted.set(request, waiter)
    this.#lastAdmitted.set(`${model} ${waiter.account}`, this.#count++)
  }

  /** First in, first out per account, and the accounts take turns. */
  #checkTurn({ model, account, order }: Waiter, isPlaceFree: boolean): void {
    const last = this.#lastAdmitted.get(`${model} ${account}`) ?? -1
    for (const other of this.#waiting.values()) {
      if (other.model !== model || !other.takesPlace) continue
      hold('order', other.account !== account || other.order > order, `${account} is served out of its order`)
      const otherLast = this.#lastAdmitted.get(`${model} ${other.account}`) ?? -1
      const isPassedOver = isPlaceFree && other.account !== account && other.order < last && otherLast < last
      hold('turns', !isPassedOver, `${account} is served twice before ${other.account}`)
    }
  }

  #checkLedger(): void {
    const live = this.#processes.filter(({ state }) => state !== 'gone')
    const holding = this.#models('starting', 'ready', 'draining', 'stopping')
    hold(
      'I7',
      holding.length === live.length,
      `${holding.join()} hold memory, ${live.map(({ model }) => model).join()} live`,
    )
    for (const { id, reservedBytes } of this.#scheduler.pools()) {
      const reserved = this.#reserved(id)
      hold('I6', reservedBytes >= reserved - 1, `${reservedBytes} of ${id} are reserved, processes hold ${reserved}`)
    }
  }

  #read(pool: PoolId, reading: { totalBytes: number; freeBytes: number } | 'unknown', nowMs: number): void {
    this.#readings.set(pool, reading === 'unknown' ? reading : { ...reading, atMs: nowMs })
    if (reading === 'unknown') return
    const holding = this.#processes.filter(({ reserved }) => (reserved[pool] ?? 0) > 0)
    const used = (processes: readonly Process[]) =>
      processes.reduce((bytes, { measured, reserved }) => bytes + ((measured ?? reserved)[pool] ?? 0), 0)
    const gone = holding.filter(({ state }) => state === 'gone')
    const staying = holding.filter(({ state }) => state !== 'gone')
    const missing = reading.totalBytes - (this.#foreign.get(pool) ?? 0) - used(staying) - reading.freeBytes
    if (missing <= 0.25 * used(gone)) for (const process of gone) process.reserved = { ...process.reserved, [pool]: 0 }
    const isQuiet = holding.every(({ state, reserved }) => state === 'ready' || (reserved[pool] ?? 0) === 0)
    if (isQuiet) this.#foreign.set(pool, Math.max(0, reading.totalBytes - reading.freeBytes - used(staying)))
  }

  #kept(pool: PoolId, totalBytes: number): number {
    const { keepBytes } = this.#settings.pools[pool] ?? {}
    if (keepBytes !== undefined) return keepBytes
    return pool === 'host' ? Math.max(2048 * MiB, 0.1 * totalBytes) : Math.max(512 * MiB, 0.03 * totalBytes)
  }

  #reserved(pool: PoolId): number {
    return this.#processes.reduce((bytes, { reserved }) => bytes + (reserved[pool] ?? 0), 0)
  }

  #live(model: string): Process | undefined {
    return this.#processes.find((process) => process.model === model && process.state !== 'gone')
  }

  #settingsOf(model: string): ModelSettings | undefined {
    return this.#settings.models.find(({ id }) => id === model)
  }

  #models(...states: readonly string[]): readonly string[] {
    return this.#scheduler
      .models()
      .filter(({ state }) => states.includes(state))
      .map(({ id }) => id)
  }
}

function measure(process: Process, measured: MemoryBytes): void {
  process.measured = maximum(process.measured ?? {}, measured)
  process.reserved = maximum(process.reserved, measured)
}

function maximum(one: MemoryBytes, other: MemoryBytes): MemoryBytes {
  const pools = new Set([...Object.keys(one), ...Object.keys(other)])
  return Object.fromEntries([...pools].map((pool) => [pool, Math.max(one[pool] ?? 0, other[pool] ?? 0)]))
}

function hold(name: string, holds: boolean, message: string): void {
  if (!holds) throw broken(name, message)
}

function broken(name: string, message: string): Error {
  return new Error(`${name}: ${message}`)
}
