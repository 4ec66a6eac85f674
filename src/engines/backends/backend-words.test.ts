import { expect, test } from 'bun:test'
import type { BackendVerdict, JudgedBackend } from '../protocol/backend.ts'
import { backendProblems, backendsTried, usedBackend } from './backend-words.ts'

const failed: BackendVerdict = {
  state: 'fails',
  reason: 'library libcudart.so.13 is missing',
  nextStep: "run 'inferd gpu install'",
  lines: [],
}
const computes: BackendVerdict = { state: 'computes', devices: [{ name: 'H200' }], tookMs: 1 }
const cuda = { id: 'cuda', kind: 'llama', backend: 'cuda', label: 'CUDA build', library: '/lib.so' } as const
const vulkan = { id: 'vulkan', kind: 'llama', backend: 'vulkan', label: 'Vulkan', library: '/vk.so' } as const
const cpu: JudgedBackend = { id: 'cpu', kind: 'llama', backend: 'cpu', label: 'CPU', verdict: computes }

const onnxCpu: JudgedBackend = { ...cpu, kind: 'onnx', label: 'ONNX Runtime on the CPU' }
const provider = { ...cuda, kind: 'onnx', label: 'ONNX Runtime on CUDA' } as const
const noGpu = { hasLibcuda: false, hasRenderer: false }
const nvidia = { ...noGpu, nvidiaDriver: '580.95.05' }

test('a backend that fails is told with what is used instead', () => {
  expect(backendProblems([{ ...cuda, verdict: failed }, cpu], noGpu)).toEqual([
    {
      text: 'CUDA build does not compute: library libcudart.so.13 is missing; chat models use CPU instead',
      advice: "run 'inferd gpu install'",
      severity: 'bad',
    },
  ])
  const withVulkan = [{ ...cuda, verdict: failed }, { ...vulkan, verdict: computes }, cpu]
  expect(backendProblems(withVulkan, noGpu)).toMatchObject([{ severity: 'warn' }])
})

test('what computes, has no device, was not tried or is being tried is no problem', () => {
  const trying = { state: 'trying', compiles: false } as const
  const states: BackendVerdict[] = [computes, { state: 'no-device' }, { state: 'untried' }, trying]
  for (const verdict of states) expect(backendProblems([{ ...cuda, verdict }, cpu], noGpu)).toEqual([])
})

test('a card is told for which this program has no library, once the libraries were looked for', () => {
  const advice = "'./install.sh --cuda' in inferd's sources builds inferd-cuda, which has one"
  const here = "NVIDIA's driver 580.95.05 is here, and this program has no library that computes"
  expect(backendProblems([cpu, onnxCpu], nvidia)).toEqual([
    { text: `${here} on it: models use the CPU`, advice, severity: 'bad' },
  ])
  expect(backendProblems([{ ...vulkan, verdict: computes }, cpu, onnxCpu], nvidia)).toEqual([
    { text: `${here} embeddings, reranking, speech and speakers on it: these use the CPU`, advice, severity: 'warn' },
  ])
  const mesa = { ...noGpu, hasRenderer: true }
  expect(backendProblems([cpu, onnxCpu], mesa)).toMatchObject([
    {
      text: 'a graphics device (/dev/dri) is here, and this program has no library that computes on it: models use the CPU',
    },
  ])
  for (const [judged, signs] of [
    [[cpu, onnxCpu], noGpu],
    [[], nvidia],
    [[{ ...cuda, verdict: computes }, cpu, { ...provider, verdict: computes }, onnxCpu], nvidia],
    [[{ ...vulkan, verdict: computes }, cpu, onnxCpu], mesa],
  ] as const)
    expect(backendProblems(judged, signs)).toEqual([])
})

test('a backend that is being tried is told, and that the driver compiles for it', () => {
  const trying = (compiles: boolean) => [{ ...cuda, verdict: { state: 'trying', compiles } as const }, cpu]
  expect(backendsTried(trying(false))).toEqual([
    'CUDA build is being tried; chat models that are to be loaded wait for it',
  ])
  expect(backendsTried(trying(true))).toEqual([
    'CUDA build is being tried: compiling for this card, once; chat models that are to be loaded wait for it',
  ])
})

test('the backend of a loaded model is the one of its device that computes', () => {
  const old = { ...cuda, id: 'cuda-12', label: 'CUDA 12 build', verdict: computes }
  const backends = {
    llama: [{ ...cuda, verdict: failed }, old, cpu],
    onnx: [{ ...provider, verdict: computes }, onnxCpu],
  }
  const used = (kind: 'llama' | 'speech' | 'upstream', device: string) => usedBackend(kind, { device }, { backends })
  expect(used('llama', 'cuda')).toBe('CUDA 12 build')
  expect(used('llama', 'cpu')).toBe('CPU')
  expect(used('speech', 'cuda')).toBe('ONNX Runtime on CUDA')
  expect(used('upstream', 'cuda')).toBeUndefined()
})
