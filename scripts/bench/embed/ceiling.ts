/**
 * Measures a model's ceiling: ONNX Runtime alone in a separate process, repeatedly on full batches of one length. Each
 * line of standard input requests a measurement, each line of output is a result, both as JSON.
 */

import { openSession } from '../../../src/engines/onnx/session/onnx-runtime.ts'
import { toBatch } from '../../../src/engines/onnx/text/batch-feeds.ts'
import { runtimePaths } from '../../../src/engines/runtime/runtime-paths.ts'

export interface CeilingRequest {
  readonly tokens: number
  readonly seconds: number
}

export interface CeilingResult {
  readonly tokensPerSecond: number
  /** Rows of the fastest batch tried. */
  readonly rows: number
}

const [modelPath = '', threads = '1'] = process.argv.slice(2)
const { onnxRuntime } = await runtimePaths('')
const session = openSession({
  binding: onnxRuntime,
  modelPath,
  provider: 'cpu',
  deviceIndex: 0,
  threads: Number(threads),
  optimization: 'all',
})
const [output = ''] = session.outputs

function tokensPerSecond(rows: number, tokens: number, seconds: number): number {
  const row = { ids: new Int32Array(tokens).fill(100), typeIds: undefined }
  const { feeds } = toBatch(Array(rows).fill(row), session.inputs, { padding: 'right', padTokenId: 0, pooling: 'none' })
  session.run(feeds, output)
  const beginMs = performance.now()
  let runs = 0
  while (performance.now() - beginMs < seconds * 1000) {
    session.run(feeds, output)
    runs++
  }
  return (runs * rows * tokens) / ((performance.now() - beginMs) / 1000)
}

const best = new Map<number, number>()

for await (const line of console) {
  const { tokens, seconds } = JSON.parse(line) as CeilingRequest
  const candidates = [1, 2, 4, 8, 16, 32, 64]
  const rate = (rows: number) => tokensPerSecond(rows, tokens, 0.5)
  const rows =
    best.get(tokens) ??
    candidates.map((rows) => ({ rows, rate: rate(rows) })).sort((a, b) => b.rate - a.rate)[0]?.rows ??
    1
  best.set(tokens, rows)
  console.log(JSON.stringify({ rows, tokensPerSecond: tokensPerSecond(rows, tokens, seconds) } satisfies CeilingResult))
}
