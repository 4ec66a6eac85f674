/** Loaded engine in a child, which is reached by messages. */
import type { RequestTrace } from '../../core/trace.ts'
import type { Work } from '../../core/work.ts'
import type { EngineStats } from '../protocol/engine.ts'
import type { FromEngine } from '../protocol/messages.ts'
import { sendPacked, withoutPacked } from '../protocol/packed-request.ts'
import type { Grant } from '../protocol/request-events.ts'
import type { ReachedEngine } from './requests-in-flight.ts'
import type { EngineChild } from './spawn-engine.ts'

export class ChildEngine implements ReachedEngine {
  readonly #child: EngineChild
  #nextId = 1
  readonly #statsWaiters = new Map<number, (stats: EngineStats | undefined) => void>()

  constructor(child: EngineChild) {
    this.#child = child
  }

  sendAhead(id: number, work: Work): Promise<void> {
    return sendPacked(work, (bytes) => this.#child.send({ type: 'packed', id, bytes }))
  }

  run(id: number, accountId: string, work: Work, trace?: RequestTrace): void {
    this.#child.send({ type: 'run', id, accountId, work: withoutPacked(work), ...(trace !== undefined && { trace }) })
  }

  grant(id: number, grant: Grant): void {
    this.#child.send({ type: 'grant', id, grant })
  }

  cancel(id: number): void {
    this.#child.send({ type: 'cancel', id })
  }

  pause(id: number, isPaused: boolean): void {
    this.#child.send({ type: 'pause', id, isPaused })
  }

  /** Returns the engine's own counters; undefined if the child ends before it answers. */
  stats(): Promise<EngineStats | undefined> {
    const id = this.#nextId++
    return new Promise((resolve) => {
      this.#statsWaiters.set(id, resolve)
      this.#child.send({ type: 'stats', id })
    })
  }

  receiveStats({ id, stats }: Extract<FromEngine, { type: 'stats' }>): void {
    this.#statsWaiters.get(id)?.(stats)
    this.#statsWaiters.delete(id)
  }

  /** Ends all waits for counters after the child is gone. */
  end(): void {
    for (const resolve of this.#statsWaiters.values()) resolve(undefined)
    this.#statsWaiters.clear()
  }
}
