import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BackendVerdict, JudgedBackend } from '../protocol/backend.ts'
import { onnxCandidates, onnxDevices, usesGpuForSpeech } from './onnx-candidates.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-onnx-candidates-'))
afterAll(() => rmSync(folder, { recursive: true }))
const onnxRuntime = join(folder, 'onnxruntime_binding.node')

const computes: BackendVerdict = { state: 'computes', devices: [{ name: 'CUDA0' }, { name: 'CUDA1' }], tookMs: 1 }
const fails = (reason: string): BackendVerdict => ({ state: 'fails', reason, nextStep: 'do it', lines: [] })

function judged(...verdicts: readonly BackendVerdict[]): JudgedBackend[] {
  writeFileSync(join(folder, 'libonnxruntime_providers_cuda.so'), '')
  return onnxCandidates({ onnxRuntime }).map((candidate, at) => ({ ...candidate, verdict: verdicts[at] ?? computes }))
}

test('without the provider there is the CPU alone, and what is missing is said', () => {
  const candidates = onnxCandidates({ onnxRuntime: join(folder, 'elsewhere', 'onnxruntime_binding.node') })
  expect(candidates.map(({ id }) => id)).toEqual(['cpu'])
  const alone = candidates.map((candidate) => ({ ...candidate, verdict: computes }))
  expect(onnxDevices(alone, 'matrices')).toEqual({ reason: 'this program has no CUDA provider' })
})

test.each([
  ['everything computes', [computes, { state: 'untried' }], { devices: [0, 1] }, { devices: [0, 1] }],
  ['cuDNN is missing', [fails('no cuDNN'), computes], { devices: [0, 1] }, { reason: 'no cuDNN; do it' }],
  [
    'nothing computes',
    [fails('no cuBLAS'), fails('no cuBLAS at all')],
    { reason: 'no cuBLAS at all; do it' },
    { reason: 'no cuBLAS; do it' },
  ],
  [
    'there is no GPU',
    [{ state: 'no-device' }, { state: 'no-device' }],
    { reason: 'there is no NVIDIA device' },
    { reason: 'there is no NVIDIA device' },
  ],
] as const)('where %s', (_, verdicts, matrices, convolutions) => {
  expect(onnxDevices(judged(...verdicts), 'matrices')).toEqual(matrices)
  expect(onnxDevices(judged(...verdicts), 'convolutions')).toEqual(convolutions)
})

test.each([
  ['auto', [computes, computes], true],
  ['cuda', [computes, computes], true],
  ['cpu', [computes, computes], false],
  ['vulkan', [computes, computes], false],
  ['auto', [fails('no cuDNN'), computes], false], // speech has convolutions
  ['auto', [{ state: 'no-device' }, { state: 'no-device' }], false],
] as const)('with device %s and %p speech uses a GPU: %p', (device, verdicts, expected) => {
  const llama = { id: 'cuda', kind: 'llama', backend: 'cuda', label: 'CUDA build', verdict: computes } as const
  expect(usesGpuForSpeech([llama, ...judged(...verdicts)], device)).toBe(expected)
})
