import { expect, test } from 'bun:test'
import type { BackendVerdict } from '../protocol/backend.ts'
import { blamedDevices, withoutDevices } from './blame-devices.ts'

const ggml = (index: number) => [
  'CUDA error: an illegal memory access',
  `  current device: ${index}, in function f at a.cu:1`,
]
const onnx = (index: number) => [
  `CUDA failure 700: an illegal memory access was encountered ; GPU=${index} ; hostname=a`,
]

test.each([
  ['a model on one card', [1], ['ggml-cuda.cu:108: CUDA error'], [1]],
  ['a model on two, of which llama.cpp names one', [0, 1], ggml(1), [1]],
  ['a model on two, of which ONNX Runtime names one', [0, 1], onnx(0), [0]],
  ['a model on two, of which none is named', [0, 1], ['vk::DeviceLostError: vk::Queue::submit'], [0, 1]],
  ['a card that did not hold the model', [1, 2], ggml(0), [1, 2]],
  ['the last line that names one', [0, 1], [...ggml(0), ...ggml(1)], [1]],
  ['the CPU', [], ggml(0), []],
])('%s is blamed', (_, used, lines, expected) => {
  expect(blamedDevices(used, lines)).toEqual(expected)
})

const reason = { reason: 'a kernel failed', nextStep: 'do it' }
const computes = (...indices: readonly (number | undefined)[]): BackendVerdict => ({
  state: 'computes',
  devices: indices.map((index) => ({ name: `card ${index ?? ''}`, ...(index !== undefined && { index }) })),
  tookMs: 1,
})

test('a failing card leaves the others, by their places', () => {
  expect(withoutDevices(computes(undefined, undefined, undefined), [1], reason)).toEqual({
    state: 'computes',
    devices: [
      { name: 'card ', index: 0 },
      { name: 'card ', index: 2 },
    ],
    tookMs: 1,
    failing: [{ index: 1, ...reason }],
  })
})

test('one after the other fails, until none is left', () => {
  const first = withoutDevices(computes(0, 1), [0], reason)
  expect(first).toMatchObject({ state: 'computes', devices: [{ index: 1 }] })
  if (first === undefined) throw new Error('a card is left')
  // A second engine that dies on the same card changes nothing.
  expect(withoutDevices(first, [0], reason)).toBe(first)
  expect(withoutDevices(first, [1], reason)).toBeUndefined()
})

test.each([
  ['the only card', computes(0), [0]],
  ['all cards', computes(0, 1), [0, 1]],
  ['no card', computes(0, 1), []],
  ['a card of a backend that was not tried', { state: 'untried' } as const, [0]],
])('%s is the library itself', (_, verdict, blamed) => {
  expect(withoutDevices(verdict, blamed, reason)).toBeUndefined()
})
