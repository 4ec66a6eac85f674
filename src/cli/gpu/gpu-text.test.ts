import { expect, test } from 'bun:test'
import type { JudgedBackend } from '../../engines/protocol/backend.ts'
import { layOut } from '../layout.ts'
import { backendTable } from './backend-table.ts'
import { gpuText } from './gpu-text.ts'

const cpu: JudgedBackend = {
  ...{ id: 'cpu', kind: 'llama', backend: 'cpu', label: 'CPU' },
  verdict: { state: 'computes', devices: [], tookMs: 0 },
}
const cuda = (verdict: JudgedBackend['verdict']): JudgedBackend => ({
  ...{ id: 'cuda', kind: 'llama', backend: 'cuda', label: 'CUDA build', verdict },
})
const none = { found: [], missing: { 'llama-cuda-13': [], 'llama-cuda-12': [], 'onnx-cuda-13': [] } }
const driver = { nvidiaDriver: '580.95.05', hasLibcuda: true, hasRenderer: false }
const card = { uuid: 'GPU-1', name: 'H200', driver: '580.95.05', computeCapability: '9.0', migMode: 'Disabled' }

test('where there is no GPU it is said where one was looked for', () => {
  const signs = { hasLibcuda: false, hasRenderer: false }
  expect(gpuText({ signs, cards: [], libraries: none, backends: [cpu] })[0]).toStartWith('No GPU: no NVIDIA driver')
})

test('driver, cards, missing libraries and that nothing was tried are lines', () => {
  const libraries = {
    found: [],
    missing: {
      ...none.missing,
      'llama-cuda-13': ['libcudart.so.13'],
      'onnx-cuda-13': ['libcudart.so.13', 'libcufft.so.12'],
    },
  }
  const backends = [cuda({ state: 'untried' }), cpu]
  expect(gpuText({ signs: driver, cards: [card], libraries, backends })).toEqual([
    "NVIDIA's driver 580.95.05 is here.",
    'Card: H200, compute capability 9.0.',
    "NVIDIA's libraries that are missing for CUDA 13: libcudart.so.13, libcufft.so.12.",
    "Nothing was tried on it yet: 'inferd gpu probe' does, as the first load of a model.",
  ])
})

test('a card without a library in the program is told', () => {
  expect(gpuText({ signs: driver, cards: [], libraries: none, backends: [cpu] })).toContain(
    'This program has no library that computes on it: models use the CPU.',
  )
})

test('what was tried needs no probe', () => {
  const computes = cuda({ state: 'computes', devices: [{ name: 'H200' }], tookMs: 1 })
  expect(gpuText({ signs: driver, cards: [], libraries: none, backends: [computes, cpu] })).toEqual([
    "NVIDIA's driver 580.95.05 is here.",
  ])
})

test('whatever fails fits a terminal of 80 columns whole, and is one line for a pipe', () => {
  const reason =
    'driver 580.95.05 is too old for this library: it has no machine code for compute capability 9.0, and compiling it for the card needs 590.44 or newer'
  const nextStep = 'update the driver, or build the library for this card: ./install.sh --cuda'
  const failed = cuda({ state: 'fails', reason, nextStep, lines: [] })
  const onnx: JudgedBackend = { ...failed, kind: 'onnx', label: 'ONNX Runtime on CUDA without cuDNN' }
  const judged = [failed, { ...onnx, verdict: { state: 'trying', compiles: true } as const }, onnx, cpu]
  const shown = (width?: number) =>
    layOut(backendTable(judged, { hint: (text) => text, width }), { width, isStyled: false })
  const lines = shown(80).split('\n')
  expect(lines.filter((line) => Bun.stringWidth(line) > 80)).toEqual([])
  expect(shown(80)).not.toContain('…')
  expect(lines[1]).toMatch(/^llama +CUDA build +fails +-$/)
  expect(shown(80).replaceAll('\n  ', ' ')).toContain(`\nCUDA build does not compute: ${reason}; ${nextStep}.\n`)
  expect(shown()).toContain(`\nCUDA build does not compute: ${reason}; ${nextStep}.\n`)
  expect(shown()).toContain('\nONNX Runtime on CUDA without cuDNN is being tried: compiling for this card, once.\n')
})
