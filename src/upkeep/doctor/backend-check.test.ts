import { expect, test } from 'bun:test'
import type { BackendCandidate, BackendVerdict, JudgedBackend } from '../../engines/protocol/backend.ts'
import { backendFindings } from './backend-check.ts'

const nvidia = { nvidiaDriver: '580.95.05', hasLibcuda: true, hasRenderer: false }
const radeon = { hasLibcuda: false, hasRenderer: true }
const noGpu = { hasLibcuda: false, hasRenderer: false }

const untried: BackendVerdict = { state: 'untried' }
const computes: BackendVerdict = { state: 'computes', devices: [{ name: 'H200' }], tookMs: 900 }
const onCpu: BackendVerdict = { state: 'computes', devices: [], tookMs: 0 }
const fails: BackendVerdict = { state: 'fails', reason: 'it hung', nextStep: 'update the driver', lines: [] }

const llamaCpu = of({ id: 'cpu', kind: 'llama', backend: 'cpu', label: 'CPU' }, onCpu)
const onnxCpu = of({ id: 'cpu', kind: 'onnx', backend: 'cpu', label: 'ONNX Runtime on the CPU' }, onCpu)
const cuda = (verdict: BackendVerdict) => of({ id: 'cuda', kind: 'llama', backend: 'cuda', label: 'CUDA' }, verdict)
const vulkan = (verdict: BackendVerdict) =>
  of({ id: 'vulkan', kind: 'llama', backend: 'vulkan', label: 'Vulkan' }, verdict)
const onnx = (verdict: BackendVerdict) =>
  of({ id: 'cuda', kind: 'onnx', backend: 'cuda', label: 'ONNX Runtime on CUDA' }, verdict)

function of(candidate: BackendCandidate, verdict: BackendVerdict): JudgedBackend {
  return { ...candidate, verdict }
}

const found = (judged: readonly JudgedBackend[], signs: Parameters<typeof backendFindings>[1] = nvidia) =>
  backendFindings(judged, signs).map(({ verdict, text }) => `${verdict}: ${text}`)

test('a machine without a GPU has nothing to say', () => {
  expect(found([llamaCpu, onnxCpu], noGpu)).toEqual([])
  expect(found([cuda({ state: 'no-device' }), llamaCpu, onnxCpu], noGpu)).toEqual([])
})

test('a card for which the program has no library is a problem', () => {
  expect(found([llamaCpu, onnxCpu])).toEqual([
    "bad: NVIDIA's driver 580.95.05 is here, and this program has no library that computes on it: models use the CPU",
  ])
  expect(found([llamaCpu, onnxCpu], { hasLibcuda: true, hasRenderer: false })[0]).toStartWith(
    "bad: NVIDIA's driver library libcuda.so.1 is here",
  )
  expect(found([llamaCpu, onnxCpu], radeon)[0]).toStartWith('bad: a graphics device (/dev/dri) is here')
})

test('that texts and speech alone lack a library is a warning, and only beside an NVIDIA card', () => {
  expect(found([vulkan(computes), llamaCpu, onnxCpu])).toEqual([
    'ok: Vulkan computes for engine "llama" on H200',
    "warn: NVIDIA's driver 580.95.05 is here, and this program has no library that computes embeddings, reranking, speech and speakers on it: these use the CPU",
  ])
  expect(found([vulkan(computes), llamaCpu, onnxCpu], radeon)).toEqual([
    'ok: Vulkan computes for engine "llama" on H200',
  ])
})

test('what gave no result in time is a problem, whatever else computes', () => {
  expect(found([cuda(untried), vulkan(untried), llamaCpu, onnx(untried), onnxCpu])).toEqual([
    'bad: a GPU is here, and whether models compute on it is not known: CUDA, Vulkan, ONNX Runtime on CUDA gave no result in time',
  ])
  expect(found([cuda(computes), vulkan(untried), llamaCpu, onnx(untried), onnxCpu])).toContainEqual(
    'bad: a GPU is here, and whether models compute on it is not known: ONNX Runtime on CUDA gave no result in time',
  )
})

test('a backend behind one that computes need not be tried', () => {
  expect(found([cuda(computes), vulkan(untried), llamaCpu, onnx(computes), onnxCpu])).toEqual([
    'ok: CUDA computes for engine "llama" on H200',
    'ok: ONNX Runtime on CUDA computes for engine "onnx" on H200',
  ])
})

test('that one engine cannot is a problem also where the other can', () => {
  expect(found([cuda(computes), llamaCpu, onnx(fails), onnxCpu])).toContainEqual(
    'bad: ONNX Runtime on CUDA does not compute: it hung; other models use ONNX Runtime on the CPU instead',
  )
})
