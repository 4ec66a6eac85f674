import { expect, test } from 'bun:test'
import { quantizationName, quantizationsIn, weightBits } from './quantizations.ts'

const file = (path: string, bytes: number | undefined = 10) => ({ path, bytes })

test('files of one model are one quantization, its parts summed, the smallest first', () => {
  const files = [
    file('M-Q8_0.gguf', 90),
    ...[1, 2, 3].map((part) => file(`Q6_K/M-Q6_K-0000${part}-of-00003.gguf`, 20)),
    file('M-UD-IQ2_XXS.gguf', 25),
    file('mmproj-F16.gguf', 5),
    file('M-mtp-Q8_0.gguf', 5),
    file('imatrix.gguf', 5),
    file('README.md', 1),
  ]
  expect(quantizationsIn(files)).toEqual([
    { name: 'UD-IQ2_XXS', path: 'M-UD-IQ2_XXS.gguf', bytes: 25, parts: 1 },
    { name: 'Q6_K', path: 'Q6_K/M-Q6_K-00001-of-00003.gguf', bytes: 60, parts: 3 },
    { name: 'Q8_0', path: 'M-Q8_0.gguf', bytes: 90, parts: 1 },
  ])
})

test('a split model that lacks a part is left out, and an unknown size stays unknown', () => {
  const parts = [1, 3].map((part) => file(`M-F16-0000${part}-of-00003.gguf`))
  expect(quantizationsIn([...parts, { path: 'M-Q4_0.gguf', bytes: undefined }])).toEqual([
    { name: 'Q4_0', path: 'M-Q4_0.gguf', bytes: undefined, parts: 1 },
  ])
})

test.each([
  ['Llama-3.2-1B-Instruct-Q4_K_M.gguf', 'Q4_K_M', 4],
  ['phi-2.q5_k_s.gguf', 'Q5_K_S', 5],
  ['gpt-oss-20b-mxfp4.gguf', 'MXFP4', 4],
  ['Qwen3-4B-Q4_0_4_4.gguf', 'Q4_0_4_4', 4],
  ['Qwen3-4B-IQ4_NL.gguf', 'IQ4_NL', 4],
  ['model-Q3_K_XL-imatrix.gguf', 'Q3_K_XL', 3],
  ['model-bf16.gguf', 'BF16', 16],
  ['BF16/model.gguf', 'BF16', 16],
  ['ggml-model-TQ2_0.gguf', 'TQ2_0', 2],
  ['Qwen3-4B.gguf', 'Qwen3-4B', undefined],
])('%s is %s', (path, name, bits) => {
  expect(quantizationName(path)).toBe(name)
  expect(weightBits(name)).toBe(bits)
})
