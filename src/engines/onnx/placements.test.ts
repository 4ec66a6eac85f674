import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MemoryBytes } from '../../core/memory.ts'
import { readProcessMemory } from '../../machine/process-memory.ts'
import { testEngineSettings } from '../../testing/engine-settings.ts'
import { starterTextModel, startTextModels } from '../../testing/starter-text-models.ts'
import type { BackendVerdict } from '../protocol/backend.ts'
import { runtimePaths } from '../runtime/runtime-paths.ts'
import { estimateOnnx, type ModelFacts, onCpu } from './placements.ts'
import { onGpu } from './session/place-sessions.ts'

const megabyte = 1e6
const folder = mkdtempSync('/tmp/inferd-placements-')
afterAll(() => rmSync(folder, { recursive: true }))

const facts: ModelFacts = {
  graphBytes: 432 * megabyte,
  besideBytes: 0,
  isHalfPrecision: false,
  contextTokens: 512,
  dimensions: 768,
  sessions: 1,
}

/** Creates a sparse file of this size. */
function emptyFile(name: string, bytes: number): string {
  const path = join(folder, name)
  writeFileSync(path, '')
  truncateSync(path, bytes)
  return path
}

async function placementsOf(
  path: string,
  device: 'auto' | 'cpu' | 'cuda',
  budgetBytes: MemoryBytes,
  onnxRuntime?: string,
  verdict?: BackendVerdict,
) {
  const runtime = await runtimePaths('')
  return estimateOnnx({
    model: starterTextModel('embedding', {}, { model: path }),
    settings: { ...testEngineSettings, device },
    runtime: {
      ...runtime,
      onnxRuntime: onnxRuntime ?? runtime.onnxRuntime,
      ...(verdict !== undefined && {
        backends: { onnx: [{ id: 'cuda', kind: 'onnx', backend: 'cuda', label: 'CUDA', verdict }] },
      }),
    },
    budgetBytes,
  })
}

/** Returns the path of a binding that has the CUDA provider beside it. */
function bindingWithCuda(): string {
  mkdirSync(join(folder, 'cuda'), { recursive: true })
  emptyFile('cuda/libonnxruntime_providers_cuda.so', 1)
  return join(folder, 'cuda', 'onnxruntime_binding.node')
}

// Peak memory of the process after batches of every length up to 512 tokens.
test.each<[string, Partial<ModelFacts>, number]>([
  ['single precision', {}, 762 * 2 ** 20],
  ['half precision', { graphBytes: 216 * megabyte, isHalfPrecision: true }, 643 * 2 ** 20],
  ['eight bits', { graphBytes: 109 * megabyte }, 271 * 2 ** 20],
  ['weights beside the graph', { graphBytes: 54_024, besideBytes: 1455 * megabyte, dimensions: 1024 }, 1324 * 2 ** 20],
  ['two sessions', { sessions: 2 }, 1563 * 2 ** 20],
])('the estimate of %s is near what was measured', (_, difference, measuredBytes) => {
  const estimate = onCpu({ ...facts, ...difference }).needBytes.host ?? 0
  expect(estimate / measuredBytes).toBeWithin(0.95, 1.35)
})

test('texts of thousands of tokens need more, up to a limit', () => {
  const need = (contextTokens: number) => onCpu({ ...facts, contextTokens }).needBytes.host ?? 0
  // Measured: 433 MiB for a text of 2,000 tokens.
  expect(need(2048) - need(512)).toBeWithin(400 * 2 ** 20, 600 * 2 ** 20)
  expect(need(32_768)).toBe(need(2048))
})

test('a starter model needs about what its engine takes', async () => {
  const model = starterTextModel('embedding')
  const [placement] = await placementsOf(model.filePaths.model ?? '', 'cpu', {})
  await using models = startTextModels({ threads: 1, device: 'cpu' })
  await models.embed(model, ...Array(64).fill('moon '.repeat(60)))
  const pid = models.pool.status()[0]?.pid ?? 0
  const { peakBytes = 0 } = readProcessMemory([pid]).get(pid) ?? {}
  expect((placement?.needBytes.host ?? 0) / peakBytes).toBeWithin(0.9, 2)
})

test('the name of a file tells its precision', async () => {
  const [half] = await placementsOf(emptyFile('model_fp16.onnx', 200 * megabyte), 'cpu', {})
  const [single] = await placementsOf(emptyFile('model.onnx', 200 * megabyte), 'cpu', {})
  expect((half?.needBytes.host ?? 0) - (single?.needBytes.host ?? 0)).toBe(240 * megabyte)
})

test('weights beside the graph count', async () => {
  const graph = emptyFile('split.onnx', 1000)
  const [without] = await placementsOf(graph, 'cpu', {})
  emptyFile('split.onnx_data', 500 * megabyte)
  const [all] = await placementsOf(graph, 'cpu', {})
  expect((all?.needBytes.host ?? 0) - (without?.needBytes.host ?? 0)).toBe(500 * megabyte)
})

test('a GPU comes before the CPU, where ONNX Runtime has its part for it', async () => {
  const path = emptyFile('gpu.onnx', 200 * megabyte)
  const budget = { host: 8e9, gpu0: 8e9, gpu1: 8e9 }
  const keys = async (...rest: [device: 'auto' | 'cpu', budget: MemoryBytes, binding?: string]) =>
    (await placementsOf(path, ...rest)).map(({ key }) => key)
  expect(await keys('auto', budget, bindingWithCuda())).toEqual(['gpu0', 'gpu1', 'cpu'])
  expect(await keys('cpu', budget, bindingWithCuda())).toEqual(['cpu'])
  expect(await keys('auto', { host: 8e9 }, bindingWithCuda())).toEqual(['cpu'])
  expect(await keys('auto', budget)).toEqual(['cpu'])
})

test('why no GPU is used is said where one could be expected', async () => {
  const path = emptyFile('cpu.onnx', 200 * megabyte)
  const load = async (...rest: Parameters<typeof placementsOf> extends [string, ...infer Rest] ? Rest : never) =>
    (await placementsOf(path, ...rest)).at(-1)?.load
  const missing = { device: 'cpu', noGpuBecause: expect.stringMatching(/providers_cuda.so is not there$/) }
  expect(await load('auto', { host: 8e9, gpu0: 8e9 })).toEqual(missing)
  expect(await load('cuda', { host: 8e9 })).toEqual(missing)
  expect(await load('cuda', { host: 8e9 }, bindingWithCuda())).toMatchObject({
    noGpuBecause: 'there is no NVIDIA device',
  })
  expect(await load('auto', { host: 8e9 })).toEqual({ device: 'cpu' })
  expect(await load('cpu', { host: 8e9, gpu0: 8e9 })).toEqual({ device: 'cpu' })
})

test('of the GPUs those are taken that computed', async () => {
  const path = emptyFile('probed.onnx', 200 * megabyte)
  const budget = { host: 8e9, gpu0: 8e9, gpu1: 8e9 }
  const one: BackendVerdict = { state: 'computes', devices: [{ name: 'CUDA0' }], tookMs: 1 }
  const found = await placementsOf(path, 'auto', budget, bindingWithCuda(), one)
  expect(found.map(({ key }) => key)).toEqual(['gpu0', 'cpu'])
})

test('a card that did not compute is left out, whatever its place', async () => {
  const path = emptyFile('second.onnx', 200 * megabyte)
  const second: BackendVerdict = { state: 'computes', devices: [{ name: 'CUDA1', index: 1 }], tookMs: 1 }
  const found = (budget: MemoryBytes) => placementsOf(path, 'auto', budget, bindingWithCuda(), second)
  const keys = (await found({ host: 8e9, gpu0: 8e9, gpu1: 8e9 })).map(({ key }) => key)
  expect(keys).toEqual(['gpu1', 'cpu'])
  expect(await found({ host: 8e9, gpu0: 8e9 })).toMatchObject([
    { key: 'cpu', load: { noGpuBecause: "no card that it could use computes; see 'inferd gpu'" } },
  ])
})

test('a provider that does not compute leaves the CPU, or is an error where CUDA was demanded', async () => {
  const path = emptyFile('probed.onnx', 200 * megabyte)
  const budget = { host: 8e9, gpu0: 8e9 }
  const fails: BackendVerdict = {
    ...{ state: 'fails', lines: [], reason: 'library libcublasLt.so.13 is missing' },
    nextStep: "run 'inferd gpu install'",
  }
  const words = "library libcublasLt.so.13 is missing; run 'inferd gpu install'"
  const found = await placementsOf(path, 'auto', budget, bindingWithCuda(), fails)
  expect(found).toMatchObject([{ key: 'cpu', load: { noGpuBecause: words } }])
  await expect(placementsOf(path, 'cuda', budget, bindingWithCuda(), fails)).rejects.toMatchObject({
    message: `device 'cuda' cannot be used: ${words}. Or choose --device auto or cpu`,
  })
})

test('GPUs are equally good, and what is loaded says which one', () => {
  expect(onGpu(1, facts)).toMatchObject({ rank: 0, load: { device: 'cuda', deviceIndex: 1 } })
  expect(onGpu(1, facts).needBytes).toEqual({ gpu1: 648 * megabyte + 2 ** 30, host: 864 * megabyte + 2 ** 30 })
  const beside = { ...facts, graphBytes: megabyte, besideBytes: 431 * megabyte }
  expect(onGpu(1, beside).needBytes).toEqual({ gpu1: 648 * megabyte + 2 ** 30, host: 2 * megabyte + 2 ** 30 })
  expect(onCpu(facts).rank).toBe(1)
})

test('a model whose file is gone is a bad model', async () => {
  const failure = await placementsOf('/nowhere/model.onnx', 'cpu', {}).catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: 'bad-model', message: expect.stringContaining('/nowhere/model.onnx') })
})
