import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import { Metrics } from '../../src/telemetry/metrics.ts'
import { stepMetric } from '../../src/telemetry/step-metrics.ts'
import { quietTelemetry } from '../../src/testing/quiet-telemetry.ts'
import { asSentence, code, markdownTable } from './markdown.ts'

interface Metric {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly labelNames: readonly string[]
}

/** Returns docs/reference/metrics.md: the metrics that src/telemetry registers, with their help. */
export function metricsPage(): string {
  const rows = [...registered(), stepMetric].map(({ name, help, type, labelNames }) => [
    code(name),
    type,
    labelNames.map(code).join(', '),
    help,
  ])
  return `# Metrics

\`GET /metrics\` answers with these metrics in Prometheus's form. Those of the process (\`process_…\`, \`nodejs_…\`) are prom-client's own.
No label is a key, an account or a request: a scrape grows only with the number of models. [How to scrape](../operations.md#metrics).

${markdownTable(['Metric', 'Type', 'Labels', 'Meaning'], rows)}

## Phases of a step

A step is a batch of the decoder, a batch of texts, or a piece of a recording or of speech. \`inferd ps --steps\` shows the same phases.

${phaseTable('step-times.ts')}

## Phases of a load

\`inferd ps --loads\` shows the last load of each model by these phases.

${phaseTable('load-phases.ts')}
`
}

/** Returns the list in a comment of a file of src/core as a table. */
function phaseTable(file: string): string {
  const text = readFileSync(join(import.meta.dir, '../../src/core', file), 'utf8')
  const items = [...text.matchAll(/^ \* - `(\w+)`: (.*)$/gm)]
  return markdownTable(
    ['Phase', 'What happens'],
    items.map(([, phase = '', what = '']) => [code(phase), asSentence(what)]),
  )
}

function registered(): Metric[] {
  const registry = new Registry()
  const { live } = quietTelemetry()
  const { telemetry, requests } = live
  new Metrics({ version: '', telemetry, requests, endpoints: () => [], registry })
  // The types of prom-client leave out what each metric keeps of its configuration.
  return registry.getMetricsAsArray() as unknown as Metric[]
}
