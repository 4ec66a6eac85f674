/** Decides which models are loaded, and who is admitted: events and times in, effects out. */
import type { Effect } from './effects.ts'
import type { SchedulerEvent } from './events.ts'
import type { ModelView, PoolView, WaitingView } from './view.ts'

export interface SchedulerState {
  /**
   * The only way in; synchronous. `nowMs`: milliseconds that should not go back; an earlier time counts as the last one.
   * The first event is `configured`.
   */
  handle(event: SchedulerEvent, nowMs: number): readonly Effect[]
  models(): readonly ModelView[]
  pools(): readonly PoolView[]
  waiting(): readonly WaitingView[]
}
