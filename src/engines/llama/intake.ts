/**
 * Where requests are prepared: chats and counts apart, and long ones apart from short ones. So a long conversation, which
 * takes seconds to render, delays no short one, and counting, which costs nothing, delays no chat.
 */
import { type Incoming, IntakeLane, type LaneOptions } from './intake-lane.ts'

/** In each of them requests are prepared one after the other, on a thread; long ones leave the processor to others. */
export type LaneName = 'short-chat' | 'long-chat' | 'short-count' | 'long-count'

export interface IntakeOptions<Request, Prepared> extends LaneOptions<Request, Prepared> {
  readonly laneOf: (request: Request) => LaneName
}

export class Intake<Request, Prepared> {
  readonly #laneOf: (request: Request) => LaneName
  readonly #lanes: Readonly<Record<LaneName, IntakeLane<Request, Prepared>>>

  constructor({ laneOf, ...options }: IntakeOptions<Request, Prepared>) {
    this.#laneOf = laneOf
    this.#lanes = {
      'short-chat': new IntakeLane(options),
      'long-chat': new IntakeLane(options),
      'short-count': new IntakeLane(options),
      'long-count': new IntakeLane(options),
    }
  }

  /** Requests that have not been handed on. */
  get size(): number {
    return Object.values(this.#lanes).reduce((sum, lane) => sum + lane.size, 0)
  }

  add(incoming: Incoming<Request>): void {
    this.#lanes[this.#laneOf(incoming.request)].add(incoming)
  }

  /** Ends its preparation; nothing is heard of it any more. False when it is not here. */
  cancel(id: number): boolean {
    return Object.values(this.#lanes).some((lane) => lane.cancel(id))
  }
}
