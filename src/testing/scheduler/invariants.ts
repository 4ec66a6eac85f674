/**
 * Conditions that must hold after every event. Computes processes, requests and memory only from events and effects, so
 * that it shares no mistake with the scheduler.
 */
import type { MemoryBytes } from '../../core/memory.ts'
import type { WorkKind } from '../../core/work.ts'
import type { Effect, StopReason } from '../../scheduler/effects.ts'
import type { Again, SchedulerEvent } from '../../scheduler/events.ts'
import type { Scheduler } from '../../scheduler/scheduler.ts'
import type { ModelSettings, SchedulerSettings } from '../../scheduler/settings.ts'
import { Books, maximum, measure } from './books.ts'

interface Waiter {
  readonly model: string
  readonly account: string
  readonly order: number
  readonly deadlineMs: number
  readonly takesPlace: boolean
  readonly again: Again | 'cleared' | undefined
  /** Undefined for loads. */
  readonly kind: WorkKind | undefined
  readonly hasBegun: boolean
}

const byPolicy: ReadonlySet<StopReason> = new Set(['evicted', 'pressure', 'keep-alive', 'unwanted', 'changed'])
/** Clock jumps up to this are not noticed by the scheduler, in milliseconds. */
const slackMs = 30

export class Invariants {
  readonly #scheduler: Scheduler
  #settings: SchedulerSettings = { pools: {}, models: [] }
  readonly #pinned = new Set<string>()
  #isClosing = false
  readonly #books = new Books()
  readonly #waiting = new Map<number, Waiter>()
  readonly #admitted = new Map<number, Waiter>()
  /** Number of the last admission by model and account. */
  readonly #lastAdmitted = new Map<string, number>()
  #count = 0
  /** Last reading of memory. `isStale`: a process has ended since the reading was requested. */
  #reading = { isAsked: false, isStale: false }
  /**
   * True after a clock jump: then the scheduler's times differ, and everything that depends on time alone is taken from
   * it.
   */
  #hasJumped = false
  /** Draining models after the previous event. */
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

  /** Notes a jump of the scheduler's clock. */
  noteJump(): void {
    this.#hasJumped = true
  }

  /** Throws if an invariant does not hold. `nowMs` must not jump. */
  check(event: SchedulerEvent, effects: readonly Effect[], nowMs: number): void {
    this.#books.release(nowMs, !this.#hasJumped)
    this.#checkRoomToWait(event, effects)
    this.#note(event, nowMs)
    if (this.#hasJumped) {
      for (const { id, foreignBytes } of this.#scheduler.pools()) this.#books.foreign.set(id, foreignBytes)
    }
    const draining = this.#models('draining')
    const drained = new Set(draining.filter((model) => this.#draining.includes(model)))
    this.#draining = draining
    for (const effect of effects) this.#checkEffect(effect, drained, nowMs)
    for (const [request, { deadlineMs }] of this.#waiting) {
      hold('I9', deadlineMs + slackMs > nowMs, `request ${request} waits for longer than it may`)
    }
    this.#checkLedger()
  }

  #note(event: SchedulerEvent, nowMs: number): void {
    switch (event.type) {
      case 'configured':
        this.#settings = event.settings
        this.#books.settings = event.settings.pools
        this.#pinned.clear()
        for (const { id, pinned } of event.settings.models) if (pinned) this.#pinned.add(id)
        break
      case 'request':
      case 'load': {
        const takesPlace = event.type === 'request'
        const account = event.type === 'request' ? event.account : ''
        const deadlineMs = nowMs + event.waitLimitMs
        const again = event.type === 'request' ? event.again : undefined
        const order = this.#count++
        const kind = event.type === 'request' ? event.kind : undefined
        const facts = { model: event.model, account, order, deadlineMs, takesPlace, again, kind, hasBegun: false }
        this.#waiting.set(event.request, facts)
        break
      }
      case 'begun': {
        const admitted = this.#admitted.get(event.request)
        if (admitted !== undefined) this.#admitted.set(event.request, { ...admitted, hasBegun: true })
        break
      }
      case 'cleared': {
        const admitted = this.#admitted.get(event.request)
        if (admitted !== undefined) this.#admitted.set(event.request, { ...admitted, again: 'cleared' })
        break
      }
      case 'cancel':
        this.#waiting.delete(event.request)
        break
      case 'finished':
        this.#admitted.delete(event.request)
        break
      case 'unload':
        this.#pinned.delete(event.model)
        break
      case 'stop-all':
        this.#isClosing = true
        break
      case 'started': {
        const process = this.#books.live(event.model)
        if (process?.state !== 'starting') break
        process.state = 'ready'
        if (event.measured !== undefined) measure(process, event.measured)
        break
      }
      case 'start-failed': {
        const process = this.#books.live(event.model)
        if (process?.state === 'starting') process.state = 'stopping'
        break
      }
      case 'grew': {
        const process = this.#books.live(event.model)
        if (process !== undefined) measure(process, event.measured)
        break
      }
      case 'exited': {
        const process = this.#books.live(event.model)
        if (process === undefined) break
        process.state = 'gone'
        process.goneAtMs = nowMs
        process.reserved = { ...process.reserved, host: 0 }
        this.#reading.isStale = this.#reading.isAsked
        for (const [request, { model }] of this.#admitted) if (model === event.model) this.#admitted.delete(request)
        break
      }
      case 'memory':
        if (!this.#reading.isStale) {
          for (const [pool, reading] of Object.entries(event.pools)) this.#books.read(pool, reading, nowMs)
        }
        this.#reading = { isAsked: false, isStale: false }
        break
    }
  }

  /** Requires that a new request may wait exactly if its account has no waiting request, or enough places stay free. */
  #checkRoomToWait(event: SchedulerEvent, effects: readonly Effect[]): void {
    if (event.type !== 'request' || event.again !== undefined) return
    const { maxWaiting } = this.#settingsOf(event.model) ?? {}
    if (maxWaiting === undefined) return
    const others = [...this.#waiting.values(), ...this.#admitted.values()].filter(
      ({ model, kind, hasBegun }) => model === event.model && kind === event.kind && !hasBegun,
    )
    const own = others.filter(({ account }) => account === event.account).length
    const left = (event.kind === 'count' ? Math.ceil(maxWaiting / 8) : maxWaiting) - others.length
    const isFull = effects.some(
      (effect) => effect.type === 'reject' && effect.code === 'overloaded' && effect.facts.expectedWaitMs === undefined,
    )
    hold('I12', isFull === own > Math.max(0, left), `request ${event.request} ${isFull ? 'has' : 'has no'} place`)
  }

  #checkEffect(effect: Effect, drained: ReadonlySet<string>, nowMs: number): void {
    switch (effect.type) {
      case 'start': {
        const { model, placement } = effect
        hold('I4', this.#books.live(model) === undefined, `${model} is started although its process lives`)
        const reserved = this.#need(model, placement.needBytes)
        this.#checkRoom(model, reserved, nowMs)
        this.#books.processes.push({ model, reserved, state: 'starting', goneAtMs: 0, hasServed: false })
        break
      }
      case 'stop':
        this.#checkStop(effect)
        break
      case 'read-memory':
        this.#reading.isAsked = true
        break
      case 'admit':
        this.#checkAdmit(effect.request, effect.model, drained)
        break
      case 'reject':
        hold('I2', this.#waiting.delete(effect.request), `request ${effect.request} is rejected and does not wait`)
        break
    }
  }

  /** Returns a model's need. The scheduler may have measured more than was estimated, which its own books tell. */
  #need(model: string, estimated: MemoryBytes): MemoryBytes {
    const view = this.#scheduler.models().find(({ id }) => id === model)
    return maximum(estimated, view?.reserved ?? {})
  }

  #checkRoom(model: string, need: MemoryBytes, nowMs: number): void {
    hold('I1', !this.#isClosing, `${model} is started while the server stops`)
    for (const [pool, bytes] of Object.entries(need)) {
      if (bytes === 0) continue
      const reading = this.#books.readings.get(pool)
      if (reading === undefined || reading === 'unknown')
        throw broken('I8', `${model} is started while ${pool} is unknown`)
      hold('I8', nowMs - reading.atMs <= 5_000, `${model} is started on an old reading of ${pool}`)
      const kept = this.#books.kept(pool, reading.totalBytes)
      const { limitBytes = Number.POSITIVE_INFINITY } = this.#settings.pools[pool] ?? {}
      const room = Math.min(limitBytes, reading.totalBytes - kept - (this.#books.foreign.get(pool) ?? 0))
      const reserved = this.#books.reserved(pool)
      hold('I1', reserved + bytes <= room, `${model} needs ${bytes} of ${pool}, ${reserved} of ${room} are reserved`)
      hold(
        'I1',
        reading.freeBytes - bytes >= kept / 2,
        `${model} needs ${bytes} of ${pool}, ${reading.freeBytes} are free`,
      )
      const isLoading = this.#books.processes.some(
        ({ state, reserved: held }) => state === 'starting' && (held[pool] ?? 0) > 0,
      )
      hold('one load at a time', !isLoading, `${model} is started while another one loads into ${pool}`)
    }
  }

  #checkStop({ model, how, why }: Extract<Effect, { type: 'stop' }>): void {
    const process = this.#books.live(model)
    if (process === undefined) throw broken('I7', `${model} is stopped and has no process`)
    const isPolicy = byPolicy.has(why)
    const isOrdered = this.#isClosing || process.state === 'stopping'
    const admitted = [...this.#admitted.values()].some((request) => request.model === model)
    const mayRetire = this.#settingsOf(model)?.overlaps === true
    hold('I5', how !== 'retire' || mayRetire, `${model} is replaced although its process holds memory`)
    hold(
      'I5',
      !admitted || isOrdered || why === 'stuck' || how === 'retire',
      `${model} is stopped (${why}) while requests run`,
    )
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
    const process = this.#books.live(model)
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
    this.#checkAlone(waiter, running)
    this.#admitted.set(request, waiter)
    this.#lastAdmitted.set(`${model} ${waiter.account}`, this.#count++)
  }

  /** Requires that a suspect runs only beside cleared requests, and that no request overtakes it. */
  #checkAlone({ model, again }: Waiter, running: readonly Waiter[]): void {
    const isBesideSuspect = running.some((other) => other.again === 'suspect')
    const isBesideOthers = again === 'suspect' && running.some((other) => other.again !== 'cleared')
    const suspects = [...this.#waiting.values()].filter((other) => other.model === model && other.again === 'suspect')
    hold('alone', !isBesideSuspect && !isBesideOthers, `a suspect of ${model} is not alone`)
    hold('alone', again === 'suspect' || suspects.length === 0, `suspects wait, and ${model} serves others`)
  }

  /** Requires first in, first out per account, and that accounts take turns. */
  #checkTurn({ model, account, order, again }: Waiter, isPlaceFree: boolean): void {
    if (again !== undefined) return
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
    const live = this.#books.processes.filter(({ state }) => state !== 'gone')
    const holding = this.#models('starting', 'ready', 'draining', 'stopping')
    hold(
      'I7',
      holding.length === live.length,
      `${holding.join()} hold memory, ${live.map(({ model }) => model).join()} live`,
    )
    for (const { id, reservedBytes } of this.#scheduler.pools()) {
      const reserved = this.#books.reserved(id)
      hold('I6', reservedBytes >= reserved - 1, `${reservedBytes} of ${id} are reserved, processes hold ${reserved}`)
    }
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

function hold(name: string, holds: boolean, message: string): void {
  if (!holds) throw broken(name, message)
}

function broken(name: string, message: string): Error {
  return new Error(`${name}: ${message}`)
}
