/** Metrics of prom-client as metrics of OTLP. Pure. */
import { attributesOf, type KeyValue, nanoseconds } from './otlp-json.ts'

/** Metric in prom-client's JSON. */
export interface CollectedMetric {
  readonly name: string
  readonly help: string
  readonly type: unknown
  readonly values: readonly {
    readonly value: number
    readonly labels: Readonly<Record<string, string | number | undefined>>
    readonly metricName?: string | undefined
  }[]
}

interface Span {
  readonly startMs: number
  readonly nowMs: number
}

const cumulative = 2

/** Returns a metric. Undefined for one without values, or of a type that OTLP has none for. */
export function toOtlpMetric({ name, help, type, values }: CollectedMetric, span: Span): object | undefined {
  if (values.length === 0) return undefined
  const described = { name, description: help }
  const points = () => values.map(({ value, labels }) => ({ ...pointOf(labels, span), asDouble: value }))
  switch (type) {
    case 'counter':
      return { ...described, sum: { dataPoints: points(), aggregationTemporality: cumulative, isMonotonic: true } }
    case 'gauge':
      return { ...described, gauge: { dataPoints: points() } }
    case 'histogram':
      return {
        ...described,
        histogram: { dataPoints: histogramPoints(values, span), aggregationTemporality: cumulative },
      }
    default:
      return undefined
  }
}

function pointOf(labels: Readonly<Record<string, string | number | undefined>>, { startMs, nowMs }: Span) {
  const attributes: KeyValue[] = attributesOf(labels)
  return { attributes, startTimeUnixNano: nanoseconds(startMs), timeUnixNano: nanoseconds(nowMs) }
}

/** Returns a point for each set of labels. prom-client counts each bucket with all lower ones, OTLP each alone. */
function histogramPoints(values: CollectedMetric['values'], span: Span): object[] {
  const byLabels = Map.groupBy(values, ({ labels: { le: _le, ...labels } }) => JSON.stringify(labels))
  return [...byLabels.values()].flatMap((ofLabels) => {
    const [first] = ofLabels
    if (first === undefined) return []
    const { le: _le, ...labels } = first.labels
    const buckets = ofLabels.filter(({ labels: { le } }) => le !== undefined)
    const totalOf = (ending: string) => ofLabels.find(({ metricName }) => metricName?.endsWith(ending))?.value ?? 0
    const counts = buckets.map(({ value }, index) => value - (buckets[index - 1]?.value ?? 0))
    return [
      {
        ...pointOf(labels, span),
        count: String(totalOf('_count')),
        sum: totalOf('_sum'),
        bucketCounts: counts.map(String),
        explicitBounds: buckets.map(({ labels: { le } }) => Number(le)).filter(Number.isFinite),
      },
    ]
  })
}
