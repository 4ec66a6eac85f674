import { Histogram, Registry } from 'prom-client'
import type { RequestRecord } from '../../core/request-record.ts'
import { errorType, operationOf, provider } from './gen-ai.ts'
import type { CollectedMetric } from './otlp-metrics.ts'

const labelNames = ['operation', 'model', 'error'] as const
type Labels = Partial<Record<(typeof labelNames)[number], string>>

/** Attributes of the conventions by the labels that prom-client allows. */
const attributeNames: Readonly<Record<string, string>> = {
  operation: 'gen_ai.operation.name',
  model: 'gen_ai.request.model',
  error: 'error.type',
}

/** Buckets in seconds, as the conventions advise. */
const durations = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
const firstTokens = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const laterTokens = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5]

/** Durations of requests by the conventions for generative AI. */
export class GenAiMetrics {
  readonly #registry = new Registry()
  readonly #duration = this.#histogram('duration', 'Time of a request', durations)
  readonly #firstToken = this.#histogram('first_token', 'Time to the first token', firstTokens)
  readonly #laterTokens = this.#histogram('later_tokens', 'Time of each token after the first one', laterTokens)

  count(record: RequestRecord): void {
    const { model, durationMs, firstOutputMs, used } = record
    const error = errorType(record)
    const labels: Labels = { operation: operationOf(record), ...(model !== undefined && { model }) }
    this.#duration.observe({ ...labels, ...(error !== undefined && { error }) }, durationMs / 1_000)
    if (firstOutputMs === undefined || error !== undefined) return
    this.#firstToken.observe(labels, firstOutputMs / 1_000)
    const laterTokens = (used?.completionTokens ?? 0) - 1
    if (laterTokens > 0) this.#laterTokens.observe(labels, (durationMs - firstOutputMs) / laterTokens / 1_000)
  }

  async collected(): Promise<CollectedMetric[]> {
    const metrics: readonly CollectedMetric[] = await this.#registry.getMetricsAsJSON()
    return metrics.map((metric) => ({
      ...metric,
      name: names[metric.name] ?? metric.name,
      values: metric.values.map((value) => ({ ...value, labels: attributes(value.labels) })),
    }))
  }

  #histogram(name: string, help: string, buckets: number[]) {
    return new Histogram({ name, help, buckets, labelNames, registers: [this.#registry] })
  }
}

const names: Readonly<Record<string, string>> = {
  duration: 'gen_ai.server.request.duration',
  first_token: 'gen_ai.server.time_to_first_token',
  later_tokens: 'gen_ai.server.time_per_output_token',
}

function attributes(labels: CollectedMetric['values'][number]['labels']) {
  const named = Object.entries(labels).map(([name, value]) => [attributeNames[name] ?? name, value])
  return { ...Object.fromEntries(named), 'gen_ai.provider.name': provider }
}
