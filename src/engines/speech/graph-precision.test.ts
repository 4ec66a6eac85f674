import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bytesOfGraphs, isEightBits, pathForGpu, pathOnGpu } from './graph-precision.ts'

test.each([
  ['/m/encoder.int8.onnx', true],
  ['/m/turbo-decoder.int8.onnx', true],
  ['/m/model_quantized.onnx', true],
  ['/m/model-int8-2024.onnx', true],
  ['/sherpa-onnx-int8-2025/model.onnx', false], // the folder's name does not describe the file
  ['/m/encoder.onnx', false],
  ['/m/encoder.fp16.onnx', false],
  ['/m/tokens.int8.txt', false],
])('%s: of 8 bits %p', (path, expected) => {
  expect(isEightBits(path)).toBe(expected)
})

test.each([
  [['/m/encoder.onnx', '/m/encoder.fp16.onnx'], '/m/encoder.fp16.onnx'],
  [['/m/encoder.onnx'], '/m/encoder.onnx'],
  [[], '/m/encoder.int8.onnx'],
])('beside %p a GPU gets %s', (there, expected) => {
  expect(pathForGpu('/m/encoder.int8.onnx', (path) => there.includes(path as never))).toBe(expected)
})

test.each([
  ['/m/model_quantized.onnx', '/m/model_fp16.onnx'],
  ['/m/encoder-int8.onnx', '/m/encoder-fp16.onnx'],
  ['/m/model-int8-2024.onnx', '/m/model-fp16-2024.onnx'],
])('in place of %s the GPU gets %s', (path, expected) => {
  expect(pathForGpu(path, (each) => each === expected)).toBe(expected)
})

test('a graph that is not of 8 bits is taken as it is', () => {
  expect(pathForGpu('/m/encoder.onnx', () => true)).toBe('/m/encoder.onnx')
})

test('the file that a model has for a GPU comes first, for its own role', () => {
  const model = { gpuFilePaths: { encoder: '/gpu/encoder.onnx' } }
  expect(pathOnGpu(model, 'encoder', '/m/encoder.int8.onnx')).toBe('/gpu/encoder.onnx')
  expect(pathOnGpu(model, 'decoder', '/m/decoder.int8.onnx')).toBe('/m/decoder.int8.onnx')
  expect(pathOnGpu({}, 'encoder', '/m/encoder.int8.onnx')).toBe('/m/encoder.int8.onnx')
})

test.each(['a.onnx.data', 'a.onnx_data', 'a.weights'])('weights in %s beside a graph are counted', (beside) => {
  const folder = mkdtempSync(join(tmpdir(), 'inferd-graph-'))
  try {
    writeFileSync(join(folder, 'a.onnx'), 'graph')
    writeFileSync(join(folder, beside), 'its weights')
    writeFileSync(join(folder, 'b.onnx'), 'graph')
    writeFileSync(join(folder, 'c.weights'), 'of another graph')
    const found = bytesOfGraphs(['a.onnx', 'b.onnx'].map((name) => join(folder, name)))
    expect(found).toEqual({ graphBytes: 'graph'.length * 2, besideBytes: 'its weights'.length })
  } finally {
    rmSync(folder, { recursive: true })
  }
})
