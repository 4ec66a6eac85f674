/** Other schedulers, for comparison. They know exactly how much memory there is, and how much each model needs. */
import type { Effect } from '../../src/scheduler/effects.ts'
import type { RequestId, SchedulerEvent } from '../../src/scheduler/events.ts'
import { type Box, keptGB, type Policy, parallel } from './gpu-box.ts'

interface Loaded {
  state: 'starting' | 'ready' | 'stopping'
  running: number
  usedMs: number
  /** True if the model takes no more requests. */
  isLeaving: boolean
}

interface Waiter {
  readonly request: RequestId
  readonly model: string
}

abstract class Baseline implements Policy {
  readonly box: Box
  readonly loaded = new Map<string, Loaded>()
  /** Waiting requests in order of arrival. */
  waiting: Waiter[] = []
  readonly #running = new Map<RequestId, string>()
  effects: Effect[] = []
  nowMs = 0

  constructor(box: Box) {
    this.box = box
  }

  handle(event: SchedulerEvent, nowMs: number): readonly Effect[] {
    this.nowMs = nowMs
    this.effects = []
    this.#take(event)
    this.decide()
    return this.effects
  }

  protected abstract decide(): void

  #take(event: SchedulerEvent): void {
    if (event.type === 'request') this.waiting.push(event)
    if (event.type === 'exited') this.loaded.delete(event.model)
    if (event.type === 'started') {
      const model = this.loaded.get(event.model)
      if (model !== undefined) Object.assign(model, { state: 'ready', usedMs: this.nowMs })
    }
    if (event.type !== 'finished') return
    const model = this.loaded.get(this.#running.get(event.request) ?? '')
    this.#running.delete(event.request)
    if (model !== undefined) Object.assign(model, { running: model.running - 1, usedMs: this.nowMs })
  }

  /** Admits a request if its model is ready and has a free slot. */
  protected tryAdmit({ request, model }: Waiter): boolean {
    const loaded = this.loaded.get(model)
    if (loaded?.state !== 'ready' || loaded.isLeaving || loaded.running >= parallel) return false
    loaded.running += 1
    this.#running.set(request, model)
    this.effects.push({ type: 'admit', request, model })
    return true
  }

  protected admitAll(mayEnter: (waiter: Waiter) => boolean = () => true): void {
    this.waiting = this.waiting.filter((waiter) => !mayEnter(waiter) || !this.tryAdmit(waiter))
  }

  protected isLoading(): boolean {
    return [...this.loaded.values()].some(({ state }) => state === 'starting')
  }

  protected lacksGB(model: string): number {
    const held = [...this.loaded.keys()].reduce((sum, id) => sum + this.needGB(id), 0)
    return held + this.needGB(model) - (this.box.totalGB - keptGB)
  }

  protected start(model: string): void {
    this.loaded.set(model, { state: 'starting', running: 0, usedMs: this.nowMs, isLeaving: false })
    this.effects.push({ type: 'start', model, placement: { key: '', label: '', needBytes: {}, load: {} } })
  }

  protected stop(model: string, loaded: Loaded): void {
    loaded.state = 'stopping'
    this.effects.push({ type: 'stop', model, how: 'graceful', why: 'evicted' })
  }

  protected isStopping(): boolean {
    return [...this.loaded.values()].some(({ state }) => state === 'stopping')
  }

  /** Returns loaded models, the least recently used first. */
  protected byUse(): readonly (readonly [string, Loaded])[] {
    return [...this.loaded].filter(([, { state }]) => state === 'ready').sort(([, a], [, b]) => a.usedMs - b.usedMs)
  }

  protected needGB(id: string): number {
    return this.box.models.find((model) => model.id === id)?.needGB ?? 0
  }
}

/**
 * Scheduler that loads a model for any waiting request, the oldest first, if idle models can make room, the least
 * recently used first.
 */
export class LeastRecentlyUsed extends Baseline {
  protected decide(): void {
    this.admitAll()
    if (this.isLoading() || this.isStopping()) return
    const wanted = new Set(this.waiting.map(({ model }) => model).filter((model) => !this.loaded.has(model)))
    for (const model of wanted) if (this.loadOrMakeRoom(model)) return
  }

  protected loadOrMakeRoom(next: string): boolean {
    let lacksGB = this.lacksGB(next)
    if (lacksGB <= 0) {
      this.start(next)
      return true
    }
    const victims: (readonly [string, Loaded])[] = []
    for (const victim of this.byUse()) {
      if (lacksGB <= 0 || victim[1].running > 0) continue
      victims.push(victim)
      lacksGB -= this.needGB(victim[0])
    }
    if (lacksGB > 0) return false
    for (const [model, loaded] of victims) this.stop(model, loaded)
    return true
  }
}

/** Same scheduler, except that the oldest request that needs a load holds up all others that do. */
export class LeastRecentlyUsedInOrder extends LeastRecentlyUsed {
  protected override decide(): void {
    this.admitAll()
    if (this.isLoading() || this.isStopping()) return
    const next = this.waiting.find(({ model }) => !this.loaded.has(model))
    if (next !== undefined) this.loadOrMakeRoom(next.model)
  }
}

/**
 * Scheduler that makes room for the oldest request that needs a load by an idle model, the least recently used first.
 * If none is idle, the least recently used one takes no more requests.
 */
export class OllamaLike extends Baseline {
  protected decide(): void {
    this.admitAll()
    const ready = this.byUse()
    for (const [model, loaded] of ready) if (loaded.isLeaving && loaded.running === 0) this.stop(model, loaded)
    if (this.isLoading() || this.isStopping() || ready.some(([, { isLeaving }]) => isLeaving)) return
    const next = this.waiting.find(({ model }) => !this.loaded.has(model))
    if (next === undefined) return
    if (this.lacksGB(next.model) <= 0) {
      this.start(next.model)
      return
    }
    const [model, loaded] = ready.find(([, { running }]) => running === 0) ?? ready[0] ?? []
    if (model === undefined || loaded === undefined) return
    if (loaded.running === 0) this.stop(model, loaded)
    else loaded.isLeaving = true
  }
}

/**
 * Scheduler with one loaded model. If others wait, it serves the requests that waited for it at its start, and then
 * leaves.
 */
export class OneAtATime extends Baseline {
  #turn = new Set<RequestId>()

  protected decide(): void {
    const [current] = this.loaded
    if (current === undefined) {
      const first = this.waiting[0]
      if (first === undefined) return
      this.#turn = new Set(this.waiting.filter(({ model }) => model === first.model).map(({ request }) => request))
      this.start(first.model)
      return
    }
    const [model, loaded] = current
    const othersWait = this.waiting.some((waiter) => waiter.model !== model)
    this.admitAll(({ request }) => !othersWait || this.#turn.has(request))
    const isDone = loaded.running === 0 && this.waiting.every(({ request }) => !this.#turn.has(request))
    if (loaded.state === 'ready' && isDone && this.waiting.length > 0) this.stop(model, loaded)
  }
}
