/** Simulated GPU with its models: carries out a policy's decisions, and measures how long requests wait. */
import type { Effect } from '../../src/scheduler/effects.ts'
import type { SchedulerEvent } from '../../src/scheduler/events.ts'
import type { SchedulerSettings } from '../../src/scheduler/settings.ts'
import { Agenda } from '../../src/testing/scheduler/agenda.ts'
import type { Arrival, SimulatedModel } from './load.ts'

export interface Policy {
  handle(event: SchedulerEvent, nowMs: number): readonly Effect[]
}

export interface Box {
  readonly totalGB: number
  readonly models: readonly SimulatedModel[]
}

export interface Outcome {
  /** Waiting times in seconds, by model. */
  readonly waits: ReadonlyMap<string, readonly number[]>
  readonly loads: number
  /** Number of times that processes held more memory than there is. */
  readonly overCommits: number
  /** Share of the time in which the GPU worked on requests. */
  readonly busyShare: number
  readonly hours: number
}

export const GB = 1e9
export const keptGB = 1.5
export const parallel = 8
const unloadMs = 800
const loadBaseMs = 1_500
const coldGBPerSecond = 2
const hotGBPerSecond = 8
/** Time since its last use during which a model's files are in the page cache. */
const hotMs = 1_800_000
/** Share of speed that each further sequence costs the others of its batch. */
const batchLoss = 0.06

interface Process {
  readonly model: string
  state: 'starting' | 'ready' | 'stopping'
  readonly running: { readonly request: number; readonly endsAtWork: number }[]
  readonly queued: number[]
  /** Work that a request which runs since the start would have got by now. */
  work: number
}

type Happening =
  | { readonly type: 'arrival'; readonly request: number }
  | { readonly type: 'started' | 'exited'; readonly process: Process }
  | { readonly type: 'tick'; readonly number: number }
  | { readonly type: 'read' | 'estimated'; readonly model?: string }

export function simulate(box: Box, load: readonly Arrival[], policy: Policy): Outcome {
  return new GpuBox(box, load, policy).run()
}

export function coldLoadMs({ fileGB }: SimulatedModel): number {
  return loadBaseMs + (fileGB / coldGBPerSecond) * 1000
}

class GpuBox {
  readonly #box: Box
  readonly #load: readonly Arrival[]
  readonly #policy: Policy
  readonly #agenda = new Agenda<Happening>()
  readonly #processes = new Map<string, Process>()
  readonly #usedMs = new Map<string, number>()
  readonly #waits = new Map<string, number[]>()
  #nowMs = 0
  #ticks = 0
  #open: number
  #loads = 0
  #overCommits = 0
  #busyMs = 0

  constructor(box: Box, load: readonly Arrival[], policy: Policy) {
    this.#box = box
    this.#load = load
    this.#policy = policy
    this.#open = load.length
    for (const { id } of box.models) this.#waits.set(id, [])
    for (const [request, { atMs }] of load.entries()) this.#agenda.plan(atMs, { type: 'arrival', request })
  }

  run(): Outcome {
    this.#tell({ type: 'configured', settings: this.#settings() })
    while (this.#open > 0) {
      const end = this.#nextEnd()
      const due = this.#agenda.take(end?.atMs ?? Number.POSITIVE_INFINITY)
      if (due !== undefined) {
        this.#workUntil(due.atMs)
        this.#happen(due.entry)
      } else if (end !== undefined) {
        this.#workUntil(end.atMs)
        this.#finish(end.process)
      } else throw new Error(`${this.#open} requests wait and nothing happens any more`)
    }
    const hours = this.#nowMs / 3_600_000
    return {
      waits: this.#waits,
      loads: this.#loads,
      overCommits: this.#overCommits,
      busyShare: this.#busyMs / this.#nowMs,
      hours,
    }
  }

  #tell(event: SchedulerEvent): void {
    for (const effect of this.#policy.handle(event, this.#nowMs)) this.#carryOut(effect)
  }

  #carryOut(effect: Effect): void {
    switch (effect.type) {
      case 'estimate':
        this.#agenda.plan(this.#nowMs, { type: 'estimated', model: effect.model })
        break
      case 'read-memory':
        this.#agenda.plan(this.#nowMs, { type: 'read' })
        break
      case 'start': {
        const process: Process = { model: effect.model, state: 'starting', running: [], queued: [], work: 0 }
        this.#processes.set(effect.model, process)
        this.#loads += 1
        if (this.#usedGB() > this.#box.totalGB - keptGB) this.#overCommits += 1
        this.#agenda.plan(this.#nowMs + this.#loadMs(effect.model), { type: 'started', process })
        break
      }
      case 'stop': {
        const process = this.#processes.get(effect.model)
        if (process === undefined || process.state === 'stopping') break
        if (process.running.length > 0) throw new Error(`${effect.model} is stopped while it works`)
        process.state = 'stopping'
        this.#agenda.plan(this.#nowMs + unloadMs, { type: 'exited', process })
        break
      }
      case 'admit': {
        const process = this.#processes.get(effect.model)
        if (process?.state !== 'ready') throw new Error(`${effect.model} is not ready`)
        process.queued.push(effect.request)
        this.#fillSlots(process)
        break
      }
      case 'reject':
        throw new Error(`request ${effect.request} is rejected: ${JSON.stringify(effect)}`)
      case 'wake':
        this.#agenda.plan(effect.atMs, { type: 'tick', number: ++this.#ticks })
        break
    }
  }

  #happen(happening: Happening): void {
    switch (happening.type) {
      case 'arrival': {
        const { request } = happening
        const { model = '', account = '' } = this.#load[request] ?? {}
        this.#tell({ type: 'request', request, model, account, kind: 'chat', waitLimitMs: 1e9 })
        break
      }
      case 'started':
        happening.process.state = 'ready'
        this.#tell({ type: 'started', model: happening.process.model })
        break
      case 'exited':
        this.#processes.delete(happening.process.model)
        this.#tell({ type: 'exited', model: happening.process.model, cause: 'ended', reason: '' })
        break
      case 'tick':
        if (happening.number === this.#ticks) this.#tell({ type: 'tick' })
        break
      case 'read': {
        const totalBytes = this.#box.totalGB * GB
        this.#tell({ type: 'memory', pools: { gpu0: { totalBytes, freeBytes: totalBytes - this.#usedGB() * GB } } })
        break
      }
      case 'estimated': {
        const { model = '' } = happening
        const needBytes = { gpu0: this.#needGB(model) * GB }
        this.#tell({ type: 'estimated', model, placements: [{ key: 'gpu0', label: 'gpu0', needBytes, load: {} }] })
        break
      }
    }
  }

  #fillSlots(process: Process): void {
    while (process.running.length < parallel) {
      const request = process.queued.shift()
      const arrival = request === undefined ? undefined : this.#load[request]
      if (request === undefined || arrival === undefined) return
      process.running.push({ request, endsAtWork: process.work + arrival.demandMs })
      this.#waits.get(process.model)?.push((this.#nowMs - arrival.atMs) / 1000)
    }
  }

  #finish(process: Process): void {
    const first = process.running.reduce((one, other) => (other.endsAtWork < one.endsAtWork ? other : one))
    process.running.splice(process.running.indexOf(first), 1)
    this.#usedMs.set(process.model, this.#nowMs)
    this.#open -= 1
    this.#fillSlots(process)
    this.#tell({ type: 'finished', request: first.request })
  }

  /** Returns a process's speed. The models that work share the GPU equally. */
  #speed({ running }: Process): number {
    const working = [...this.#processes.values()].filter((process) => process.running.length > 0).length
    return 1 / (working * (1 + batchLoss * (running.length - 1)))
  }

  #nextEnd(): { readonly atMs: number; readonly process: Process } | undefined {
    let next: { readonly atMs: number; readonly process: Process } | undefined
    for (const process of this.#processes.values()) {
      if (process.running.length === 0) continue
      const leftWork = Math.min(...process.running.map(({ endsAtWork }) => endsAtWork)) - process.work
      const atMs = this.#nowMs + Math.max(0, leftWork) / this.#speed(process)
      if (next === undefined || atMs < next.atMs) next = { atMs, process }
    }
    return next
  }

  #workUntil(atMs: number): void {
    const speeds = [...this.#processes.values()].map((process) => [process, this.#speed(process)] as const)
    const elapsedMs = atMs - this.#nowMs
    for (const [process, speed] of speeds) if (process.running.length > 0) process.work += elapsedMs * speed
    if (speeds.some(([{ running }]) => running.length > 0)) this.#busyMs += elapsedMs
    this.#nowMs = atMs
  }

  #loadMs(id: string): number {
    const { fileGB = 0 } = this.#box.models.find((model) => model.id === id) ?? {}
    const isHot = this.#nowMs - (this.#usedMs.get(id) ?? Number.NEGATIVE_INFINITY) < hotMs
    return loadBaseMs + (fileGB / (isHot ? hotGBPerSecond : coldGBPerSecond)) * 1000
  }

  #usedGB(): number {
    return [...this.#processes.keys()].reduce((used, model) => used + this.#needGB(model), 0)
  }

  #needGB(id: string): number {
    return this.#box.models.find((model) => model.id === id)?.needGB ?? 0
  }

  #settings(): SchedulerSettings {
    return {
      pools: { gpu0: { keepBytes: keptGB * GB } },
      models: this.#box.models.map((model) => ({
        ...{ id: model.id, revision: '1', parallel, places: parallel, maxWaiting: Number.POSITIVE_INFINITY },
        ...{ pinned: false, preload: false, loadMs: coldLoadMs(model) },
      })),
    }
  }
}
