/**
 * The world around a scheduler, with every possible fault: processes start slowly, fail, grow, die, ignore orders and
 * return device memory late; other programs take memory; readings are late, fail or never come; clocks jump.
 */
import type { MemoryBytes, PoolId } from '../../core/memory.ts'
import type { Effect } from '../../scheduler/effects.ts'
import type { Again, PoolReading, SchedulerEvent, StartFailure } from '../../scheduler/events.ts'
import { Scheduler } from '../../scheduler/scheduler.ts'
import { Agenda } from './agenda.ts'
import { type Box, placementsOf, settingsOf } from './boxes.ts'
import { Invariants } from './invariants.ts'
import { Random } from './random.ts'

interface Process {
  readonly model: string
  used: MemoryBytes
  state: 'starting' | 'ready' | 'ending'
  readonly ignores: 'nothing' | 'asking' | 'killing'
}

type Happening =
  | { readonly type: 'event'; readonly event: SchedulerEvent; readonly process?: Process }
  | { readonly type: 'started' | 'exited'; readonly process: Process; readonly outcome?: StartFailure }
  | { readonly type: 'returned'; readonly used: MemoryBytes }
  | { readonly type: 'tick'; readonly number: number }
  | { readonly type: 'read'; readonly pools: Readonly<Record<PoolId, PoolReading>> }

/** Largest number of events in a history. More mean that time stands still. */
const maximumEvents = 20_000

export class FaultyWorld {
  readonly scheduler: Scheduler
  readonly invariants: Invariants
  readonly box: Box
  readonly #random: Random
  readonly #agenda = new Agenda<Happening>()
  readonly #processes = new Map<string, Process>()
  readonly #foreign: Record<PoolId, number> = {}
  /** Memory of ended processes that is not free yet. */
  #returning: MemoryBytes[] = []
  readonly #unreadable = new Set<PoolId>()
  /** Events of the scheduler with their effects. */
  readonly history: { readonly event: SchedulerEvent; readonly armMs: number; readonly effects: readonly Effect[] }[] =
    []
  #nowMs = 1_000
  /** Milliseconds by which the arm's clock is ahead. */
  #aheadMs = 0
  #ticks = 0
  #requests = 0
  /** True if requests take minutes, so that models are rarely idle. */
  readonly #isSlow: boolean
  /** True once no more faults occur. */
  #isKind = false

  constructor(box: Box, seed: number) {
    this.box = box
    this.#random = new Random(seed)
    this.#isSlow = this.#random.isOneOf(3)
    this.scheduler = new Scheduler(this.#nowMs)
    this.invariants = new Invariants(this.scheduler)
    this.tell({ type: 'configured', settings: settingsOf(box) })
  }

  get nowMs(): number {
    return this.#nowMs
  }

  tell(event: SchedulerEvent): void {
    const armMs = this.#nowMs + this.#aheadMs
    if (this.history.length > maximumEvents) throw new Error('the scheduler and its world never come to rest')
    const effects = this.scheduler.handle(event, armMs)
    this.history.push({ event, armMs, effects })
    this.invariants.check(event, effects, this.#nowMs)
    for (const effect of effects) this.#carryOut(effect)
  }

  request(model: string, account: string, waitLimitMs: number, again?: Again): void {
    const kind = this.#random.isOneOf(4) ? 'count' : 'chat'
    this.tell({
      type: 'request',
      request: ++this.#requests,
      model,
      account,
      kind,
      waitLimitMs,
      ...(again && { again }),
    })
  }

  /** Lets an admitted request begin, and produce output. */
  clear(index: number): void {
    const { admitted } = this.invariants
    const request = [...admitted.keys()][index % Math.max(1, admitted.size)]
    if (request === undefined) return
    this.tell({ type: 'begun', request })
    this.tell({ type: 'cleared', request })
  }

  load(model: string, waitLimitMs: number): void {
    this.tell({ type: 'load', request: ++this.#requests, model, waitLimitMs })
  }

  /** Ends a waiting or admitted request. */
  cancel(index: number): void {
    const { waiting, admitted } = this.invariants
    const request = [...waiting.keys(), ...admitted.keys()][index % Math.max(1, waiting.size + admitted.size)]
    if (request === undefined) return
    this.tell({ type: waiting.has(request) ? 'cancel' : 'finished', request })
  }

  takeForeign(pool: PoolId, bytes: number): void {
    this.#foreign[pool] = bytes
  }

  setReadable(pool: PoolId, isReadable: boolean): void {
    if (isReadable) this.#unreadable.delete(pool)
    else this.#unreadable.add(pool)
  }

  grow(model: string, bytes: number, isMeasured: boolean): void {
    const process = this.#processes.get(model)
    if (process?.state !== 'ready') return
    process.used = Object.fromEntries(Object.entries(process.used).map(([pool, used]) => [pool, used + bytes]))
    if (isMeasured) this.tell({ type: 'grew', model, measured: process.used })
  }

  crash(model: string): void {
    const process = this.#processes.get(model)
    if (process !== undefined) this.#exit(process, 'the process crashed')
  }

  /** Moves only the arm's clock, forward or back. */
  jump(ms: number): void {
    this.#aheadMs = Math.max(this.#aheadMs + ms, -this.#nowMs)
    this.invariants.noteJump()
    this.tell({ type: 'tick' })
  }

  advance(ms: number): void {
    const untilMs = this.#nowMs + ms
    for (let due = this.#agenda.take(untilMs); due !== undefined; due = this.#agenda.take(untilMs)) {
      this.#nowMs = Math.max(this.#nowMs, due.atMs)
      this.#happen(due.entry)
    }
    this.#nowMs = untilMs
  }

  beKind(): void {
    this.#isKind = true
    this.#unreadable.clear()
    for (const request of this.invariants.admitted.keys()) this.#finishLater(request)
    for (const pool of Object.keys(this.#foreign)) this.#foreign[pool] = 0
    for (const process of this.#processes.values()) {
      if (process.state === 'ending' || process.ignores !== 'nothing') this.#exit(process, 'ended at last')
    }
  }

  #carryOut(effect: Effect): void {
    const random = this.#random
    switch (effect.type) {
      case 'estimate': {
        const { model } = effect
        const placements = placementsOf(this.box, model)
        const event: SchedulerEvent =
          !this.#isKind && random.isOneOf(40)
            ? { type: 'estimate-failed', model, cause: random.isOneOf(2) ? 'bad-model' : 'other', reason: 'no header' }
            : { type: 'estimated', model, placements }
        this.#later(random.between(0, 500), { type: 'event', event })
        break
      }
      case 'start': {
        const share = random.between(0.7, this.#isKind ? 1 : 1.05)
        const used = Object.fromEntries(
          Object.entries(effect.placement.needBytes).map(([pool, need]) => [pool, Math.round(need * share)]),
        )
        const ignores = this.#isKind || !random.isOneOf(12) ? 'nothing' : random.isOneOf(2) ? 'asking' : 'killing'
        const process: Process = { model: effect.model, used, state: 'starting', ignores }
        this.#processes.set(effect.model, process)
        this.#plan(process)
        break
      }
      case 'stop': {
        const process = this.#processes.get(effect.model)
        if (process === undefined) break
        const isIgnored = process.ignores === 'killing' || (process.ignores === 'asking' && effect.how === 'graceful')
        process.state = 'ending'
        const afterMs =
          effect.how === 'retire' ? 0 : isIgnored ? random.between(10_000, 60_000) : random.between(0, 3_000)
        this.#later(afterMs, { type: 'exited', process })
        break
      }
      case 'admit':
        if (!this.invariants.admitted.has(effect.request)) break
        this.#later(random.exponential(3_000), { type: 'event', event: { type: 'begun', request: effect.request } })
        this.#finishLater(effect.request)
        break
      case 'read-memory':
        if (!this.#isKind && random.isOneOf(15)) break
        this.#later(random.between(0, this.#isKind ? 50 : 600), { type: 'read', pools: this.#read() })
        break
      case 'wake':
        this.#later(Math.max(0, effect.atMs - this.#aheadMs - this.#nowMs), { type: 'tick', number: ++this.#ticks })
        break
    }
  }

  #finishLater(request: number): void {
    const meanMs = this.#isSlow && !this.#isKind ? 100_000 : 8_000
    this.#later(this.#random.exponential(meanMs), { type: 'event', event: { type: 'finished', request } })
  }

  /** Decides how a start ends. */
  #plan(process: Process): void {
    const random = this.#random
    const { model } = process
    const loadMs = random.between(500, 20_000)
    for (let atMs = 1_000; atMs < loadMs; atMs += 5_000) {
      const event: SchedulerEvent = random.isOneOf(2)
        ? { type: 'progress', model }
        : { type: 'progress', model, fraction: atMs / loadMs }
      this.#later(atMs, { type: 'event', event, process })
    }
    const fate = this.#isKind ? 1 : random.next()
    if (fate < 0.03) return // It says nothing more.
    if (fate < 0.05) this.#later(loadMs, { type: 'exited', process })
    else if (fate < 0.08) this.#later(loadMs, { type: 'started', process, outcome: 'crash' })
    else if (fate < 0.09) this.#later(loadMs, { type: 'started', process, outcome: 'bad-model' })
    else if (fate < 0.13) this.#later(loadMs, { type: 'started', process, outcome: 'oom' })
    else this.#later(loadMs, { type: 'started', process })
  }

  #happen(happening: Happening): void {
    switch (happening.type) {
      case 'event': {
        const { event, process } = happening
        if (process !== undefined && this.#processes.get(process.model) !== process) break
        if ((event.type === 'finished' || event.type === 'begun') && !this.invariants.admitted.has(event.request)) break
        this.tell(event)
        break
      }
      case 'started':
        this.#start(happening.process, happening.outcome)
        break
      case 'exited':
        if (this.#processes.get(happening.process.model) === happening.process) this.#exit(happening.process, 'ended')
        break
      case 'returned':
        this.#returning = this.#returning.filter((used) => used !== happening.used)
        break
      case 'tick':
        if (happening.number === this.#ticks) this.tell({ type: 'tick' })
        break
      case 'read':
        this.tell({ type: 'memory', pools: happening.pools })
        break
    }
  }

  #start(process: Process, failure: StartFailure | undefined): void {
    const { model, used } = process
    if (this.#processes.get(model) !== process || process.state !== 'starting') return
    const cause = failure ?? (this.#isFull() ? 'oom' : undefined)
    if (cause === undefined) {
      process.state = 'ready'
      this.tell(this.#random.isOneOf(2) ? { type: 'started', model, measured: used } : { type: 'started', model })
      return
    }
    process.state = 'ending'
    this.#later(this.#random.between(0, 7_000), { type: 'exited', process })
    this.tell({ type: 'start-failed', model, cause, reason: 'it failed' })
  }

  #exit(process: Process, reason: string): void {
    this.#processes.delete(process.model)
    const used = { ...process.used, host: 0 }
    this.#returning.push(used)
    this.#later(this.#random.between(0, this.#isKind ? 1_000 : 8_000), { type: 'returned', used })
    const cause = this.#random.isOneOf(5) ? 'oom' : 'ended'
    this.tell({ type: 'exited', model: process.model, cause, reason })
  }

  #isFull(): boolean {
    return this.box.pools.some(({ id }) => this.#freeBytes(id) < 0)
  }

  #freeBytes(pool: PoolId): number {
    const held = [...[...this.#processes.values()].map(({ used }) => used), ...this.#returning]
    const total = this.box.pools.find(({ id }) => id === pool)?.totalBytes ?? 0
    return held.reduce((free, used) => free - (used[pool] ?? 0), total - (this.#foreign[pool] ?? 0))
  }

  #read(): Readonly<Record<PoolId, PoolReading>> {
    return Object.fromEntries(
      this.box.pools.map(({ id, totalBytes }) => [
        id,
        this.#unreadable.has(id) ? 'unknown' : { totalBytes, freeBytes: Math.max(0, this.#freeBytes(id)) },
      ]),
    )
  }

  #later(ms: number, happening: Happening): void {
    this.#agenda.plan(this.#nowMs + ms, happening)
  }
}
