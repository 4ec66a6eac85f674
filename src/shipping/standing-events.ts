/** Events about states that last, such as a failed model. */
import { hourMs } from '../core/durations.ts'
import type { EndpointState } from '../core/endpoint-state.ts'
import type { ModelState } from '../core/model-state.ts'
import { type ServiceEvent, serviceEvents } from '../core/service-events.ts'

export interface StandingFacts {
  readonly models: readonly Pick<ModelState, 'modelId' | 'state' | 'failedLoad' | 'failedLoadCode'>[]
  readonly endpoints: readonly Pick<EndpointState, 'model' | 'url' | 'state'>[]
  /** Time of the last backup's failure. Undefined if it succeeded. */
  readonly backupFailedMs: number | undefined
  /** Disk of the data folder. Undefined if it cannot be read. */
  readonly disk: { readonly freeBytes: number; readonly totalBytes: number } | undefined
  /** Findings of the doctor's last examination. */
  readonly checks: readonly { readonly name: string; readonly verdict: string }[]
}

const lowShare = 0.1
/** Time in which a state that comes and goes is reported once. */
const quietMs = hourMs

/** Returns the events of all states that hold now. Pure. */
export function standingEvents({ models, endpoints, backupFailedMs, disk, checks }: StandingFacts): ServiceEvent[] {
  const failed = models.filter(({ state, failedLoad }) => state === 'failed' || failedLoad !== undefined)
  const down = endpoints.filter(({ state }) => state !== 'closed' && state !== 'draining')
  const problems = checks.filter(({ verdict }) => verdict === 'bad' || verdict === 'warn')
  return [
    ...failed.map(({ modelId: model, failedLoadCode }) => ({
      ...({ type: 'model.failed', model, code: failedLoadCode ?? 'ended' } as const),
    })),
    ...down.map(({ model, url }) => ({ type: 'endpoint.down', model, host: new URL(url).host }) as const),
    ...(backupFailedMs === undefined ? [] : [{ type: 'backup.failed', failedMs: backupFailedMs } as const]),
    ...(disk !== undefined && disk.freeBytes < disk.totalBytes * lowShare
      ? [{ type: 'disk.low', ...disk } as const]
      : []),
    ...problems.map(({ name: check, verdict }) => ({ type: 'doctor.problem', check, verdict }) as const),
  ]
}

/** Emits the event of a state when it begins. */
export class StandingEvents {
  readonly #emit: (event: ServiceEvent) => void
  readonly #clock: () => number
  #standing: ReadonlySet<string> = new Set()
  /** Times of the last events by state. */
  readonly #emittedMs = new Map<string, number>()

  constructor(emit: (event: ServiceEvent) => void, clock: () => number) {
    this.#emit = emit
    this.#clock = clock
  }

  look(facts: StandingFacts): void {
    const nowMs = this.#clock()
    const events = new Map(standingEvents(facts).map((event) => [stateOf(event), event]))
    for (const [state, event] of events) {
      if (this.#standing.has(state) || nowMs - (this.#emittedMs.get(state) ?? Number.NEGATIVE_INFINITY) < quietMs)
        continue
      this.#emittedMs.set(state, nowMs)
      this.#emit(event)
    }
    for (const [state, atMs] of this.#emittedMs) {
      if (!events.has(state) && nowMs - atMs >= quietMs) this.#emittedMs.delete(state)
    }
    this.#standing = new Set(events.keys())
  }
}

/** Returns the state that an event reports: its type, and the ids and times in it, without amounts that vary. */
function stateOf(event: ServiceEvent): string {
  const fields: Readonly<Record<string, string>> = serviceEvents[event.type].fields
  const naming = Object.entries(event).filter(([name]) => fields[name] === 'id' || fields[name] === 'time')
  return JSON.stringify([event.type, ...naming.filter(([name]) => name !== 'code' && name !== 'verdict')])
}
