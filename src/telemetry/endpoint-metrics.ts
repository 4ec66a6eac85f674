import { Counter, Gauge, type Registry } from 'prom-client'
import type { EndpointState } from '../core/endpoint-state.ts'

// Labels. Named `server`, because `endpoint` is a path of the API in other metrics.
const labelNames = ['model', 'server'] as const

/** States in which an endpoint gets requests. */
const usable: readonly EndpointState['state'][] = ['closed', 'half-open', 'probing']

/** Metrics of upstream models' endpoints, which are named by host and port. Set at each read. */
export class EndpointMetrics {
  readonly #requests: Counter<'model' | 'server' | 'outcome'>
  readonly #running: Gauge<'model' | 'server'>
  readonly #up: Gauge<'model' | 'server'>

  constructor(registers: Registry[]) {
    this.#requests = new Counter({
      name: 'inferd_upstream_requests_total',
      help: 'Requests to an endpoint that have ended: served, failed, refused, or neutral (busy, too long, cancelled).',
      labelNames: [...labelNames, 'outcome'],
      registers,
    })
    this.#running = new Gauge({
      name: 'inferd_upstream_requests_running',
      help: 'Requests that an endpoint has.',
      ...{ labelNames, registers },
    })
    this.#up = new Gauge({
      name: 'inferd_upstream_up',
      help: '1 while requests go to an endpoint; 0 while it is down, drained or lacks the model.',
      ...{ labelNames, registers },
    })
  }

  set(endpoints: readonly EndpointState[]): void {
    for (const metric of [this.#requests, this.#running, this.#up]) metric.reset()
    for (const { model, url, state, outstanding, ...ends } of endpoints) {
      const labels = { model, server: new URL(url).host }
      for (const outcome of ['served', 'failed', 'refused', 'neutral'] as const) {
        this.#requests.inc({ ...labels, outcome }, ends[outcome])
      }
      this.#running.inc(labels, outstanding)
      this.#up.set(labels, usable.includes(state) ? 1 : 0)
    }
  }
}
