/**
 * A scheduler in a world that the test controls: loads take 2 s, stops take 500 ms, and requests run until the test
 * ends them.
 */
import type { MemoryBytes, PoolId } from '../../core/memory.ts'
import type { WorkKind } from '../../core/work.ts'
import type { Effect } from '../../scheduler/effects.ts'
import type { Again, SchedulerEvent } from '../../scheduler/events.ts'
import { Scheduler } from '../../scheduler/scheduler.ts'
import { Agenda } from './agenda.ts'
import { type Box, placementsOf, settingsOf } from './boxes.ts'
import { Invariants } from './invariants.ts'

type Start = 'works' | 'runs out of memory' | 'crashes' | 'hangs'

interface Asked {
  readonly account?: string
  readonly kind?: WorkKind
  readonly waitLimitMs?: number
  readonly again?: Again
}

export class Trial {
  readonly box: Box
  readonly scheduler = new Scheduler(0)
  readonly invariants = new Invariants(this.scheduler)
  /** All effects but `wake` and `read-memory`, as short texts. */
  readonly log: string[] = []
  readonly rejections: Extract<Effect, { type: 'reject' }>[] = []
  /** Outcomes of the next starts. Later ones succeed. */
  starts: Start[] = []
  /** Time after a process ended until its device memory is free, in milliseconds. */
  returnMs = 0
  /** True if processes ignore requests to end. */
  isDeaf = false
  readonly foreign: Record<PoolId, number> = {}
  /** Pools whose readings fail. */
  readonly unreadable = new Set<PoolId>()
  nowMs = 0
  readonly #agenda = new Agenda<() => void>()
  readonly #used = new Map<string, MemoryBytes>()
  #lost: MemoryBytes[] = []
  #requests = 0
  #ticks = 0

  constructor(box: Box) {
    this.box = box
    this.tell({ type: 'configured', settings: settingsOf(box) })
  }

  tell(event: SchedulerEvent): void {
    const effects = this.scheduler.handle(event, this.nowMs)
    this.invariants.check(event, effects, this.nowMs)
    for (const effect of effects) this.#carryOut(effect)
  }

  request(model: string, { account = 'someone', kind = 'chat', waitLimitMs = 300_000, again }: Asked = {}): number {
    const request = ++this.#requests
    this.tell({ type: 'request', request, model, account, kind, waitLimitMs, ...(again && { again }) })
    return request
  }

  pin(model: string): void {
    const { models, ...settings } = settingsOf(this.box)
    const pinned = models.map((each) => (each.id === model ? { ...each, pinned: true } : each))
    this.tell({ type: 'configured', settings: { ...settings, models: pinned } })
  }

  /** Lets the engine begin an admitted request. */
  begin(request: number): void {
    this.tell({ type: 'begun', request })
  }

  finish(request: number): void {
    this.tell({ type: 'finished', request })
  }

  /** Runs one request, answered within 5 s. Its model is idle afterwards. */
  serve(model: string): void {
    const request = this.request(model)
    this.advance(5_000)
    this.finish(request)
  }

  advance(ms: number): void {
    const untilMs = this.nowMs + ms
    for (let due = this.#agenda.take(untilMs); due !== undefined; due = this.#agenda.take(untilMs)) {
      this.nowMs = Math.max(this.nowMs, due.atMs)
      due.entry()
    }
    this.nowMs = untilMs
  }

  end(model: string): void {
    const used = this.#used.get(model)
    if (used === undefined) return
    this.#used.delete(model)
    const late = { ...used, host: 0 }
    this.#lost.push(late)
    this.#later(this.returnMs, () => {
      this.#lost = this.#lost.filter((each) => each !== late)
    })
    this.tell({ type: 'exited', model, cause: 'ended', reason: 'it ended' })
  }

  state(model: string): string | undefined {
    return this.scheduler.models().find(({ id }) => id === model)?.state
  }

  count(entry: string): number {
    return this.log.filter((each) => each === entry).length
  }

  #carryOut(effect: Effect): void {
    switch (effect.type) {
      case 'estimate':
        this.#later(0, () => {
          this.tell({ type: 'estimated', model: effect.model, placements: placementsOf(this.box, effect.model) })
        })
        break
      case 'start':
        this.log.push(`start ${effect.placement.key}`)
        this.#used.set(effect.model, effect.placement.needBytes)
        this.#start(effect.model, effect.placement.needBytes, this.starts.shift() ?? 'works')
        break
      case 'stop':
        this.log.push(`stop ${effect.model} ${effect.how} ${effect.why}`)
        if (!this.isDeaf) this.#later(500, () => this.end(effect.model))
        break
      case 'admit':
        this.log.push(`admit ${effect.request}`)
        break
      case 'reject':
        this.rejections.push(effect)
        this.log.push(`reject ${effect.request} ${effect.code}`)
        break
      case 'read-memory':
        this.#later(0, () => this.#read())
        break
      case 'wake': {
        const number = ++this.#ticks
        this.#later(Math.max(0, effect.atMs - this.nowMs), () => {
          if (number === this.#ticks) this.tell({ type: 'tick' })
        })
        break
      }
    }
  }

  #start(model: string, measured: MemoryBytes, how: Start): void {
    if (how === 'hangs') return
    this.#later(2_000, () => {
      if (!this.#used.has(model)) return
      if (how === 'works') this.tell({ type: 'started', model, measured })
      if (how === 'crashes') this.end(model)
      if (how !== 'runs out of memory') return
      this.tell({ type: 'start-failed', model, cause: 'oom', reason: 'out of memory' })
      this.end(model)
    })
  }

  #read(): void {
    const held = [...this.#used.values(), ...this.#lost]
    const pools = this.box.pools.map(({ id, totalBytes }) => {
      const used = held.reduce((sum, each) => sum + (each[id] ?? 0), this.foreign[id] ?? 0)
      return [id, this.unreadable.has(id) ? 'unknown' : { totalBytes, freeBytes: totalBytes - used }] as const
    })
    this.tell({ type: 'memory', pools: Object.fromEntries(pools) })
  }

  #later(ms: number, happen: () => void): void {
    this.#agenda.plan(this.nowMs + ms, happen)
  }
}
