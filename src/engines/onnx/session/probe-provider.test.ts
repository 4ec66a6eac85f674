import { describe, expect, test } from 'bun:test'
import { runtimePaths } from '../../runtime/runtime-paths.ts'
import { openSession } from './onnx-runtime.ts'
import { convolutionGraph, matrixGraph, type ProbeGraph } from './probe-graphs.ts'
import { probeProvider, requireEqual } from './probe-provider.ts'

const { onnxRuntime: binding } = await runtimePaths('')

function compute({ content, shape }: ProbeGraph, a: Float32Array, b: Float32Array): Float32Array {
  const session = openSession({
    ...{ binding, modelPath: content, provider: 'cpu', deviceIndex: 0, threads: 1, optimization: 'all' },
  } as const)
  const feeds = [
    { name: 'a', type: 'float32', shape, data: a },
    { name: 'b', type: 'float32', shape, data: b },
  ] as const
  return Float32Array.from(session.run(feeds, 'y').data)
}

test('the graph of matrices multiplies, and makes shares of each row', () => {
  const a = new Float32Array(64 * 64)
  const identity = Float32Array.from(a, (_, at) => (at % 65 === 0 ? 1 : 0))
  a[3] = Math.log(64) // one entry of the first row; the others are 0
  const y = compute(matrixGraph, a, identity)
  expect(y[3]).toBeCloseTo(64 / (64 + 63), 5)
  expect(y[2]).toBeCloseTo(1 / (64 + 63), 5)
  expect(y[64]).toBeCloseTo(1 / 64, 5)
})

test('the graph with a convolution sums what lies around', () => {
  const ones = new Float32Array(8 * 8 * 3 * 3).fill(1)
  const y = compute(convolutionGraph, ones, ones)
  expect([...y.slice(0, 9)]).toEqual([32, 48, 32, 48, 72, 48, 32, 48, 32]) // 8 channels of 4, 6 or 9 neighbours
})

test.each([
  ['matrices', matrixGraph],
  ['a convolution', convolutionGraph],
])('a provider that computes %s as the CPU does passes', (_, graph) => {
  expect(probeProvider({ binding, provider: 'cpu', graph })).toBe(1)
})

test('a provider whose library is not there fails, with what ONNX Runtime says', () => {
  expect(() => probeProvider({ binding, provider: 'cuda', graph: matrixGraph })).toThrow(
    /libonnxruntime_providers_shared|CUDA/i,
  )
})

describe.each([
  ['matrices', matrixGraph],
  ['a convolution', convolutionGraph],
])('of %s', (_, graph) => {
  const length = graph.shape.reduce((product, each) => product * each, 1)
  const a = Float32Array.from({ length }, (_, at) => Math.sin(at * 0.7))
  const b = Float32Array.from({ length }, (_, at) => Math.sin(at * 1.4))
  const wanted = compute(graph, a, b)

  test.each([
    ['nothing', new Float32Array(wanted.length)],
    ['no numbers', wanted.map(() => Number.NaN)],
    ['the same number everywhere', wanted.map(() => 1 / 64)],
    [
      'a tenth too much',
      compute(
        graph,
        a.map((each) => each * 1.1),
        b,
      ),
    ],
    [
      'half of the products',
      compute(
        graph,
        a.map((each, at) => (at % 64 < 32 ? each : 0)),
        b,
      ),
    ],
    [
      'nothing in the first row',
      compute(
        graph,
        a.map((each, at) => (at < 64 ? 0 : each)),
        b,
      ),
    ],
  ])('%s is found to be wrong', (_, computed) => {
    expect(() => requireEqual(computed, wanted)).toThrow(/computed wrong numbers/)
  })

  test('products of 10 bits are right', () => {
    const short = (numbers: Float32Array) => numbers.map((each) => Math.round(each * 1024) / 1024)
    requireEqual(compute(graph, short(a), short(b)), wanted)
  })
})
