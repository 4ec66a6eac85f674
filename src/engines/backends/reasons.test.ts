import { expect, test } from 'bun:test'
import { reasonOf } from './reasons.ts'

const convolution = 'a convolution was not computed (matrices were): '

test.each([
  ['CUDNN_STATUS_NOT_INITIALIZED', 'cuDNN 9 is missing or does not fit', "run 'inferd gpu install --cudnn'"],
  ['it computed wrong numbers: 0 where the CPU has 1.5', 'it computed wrong numbers', 'update the driver'],
  ['CUDA failure 2: out of memory', 'out of memory', 'end what else uses the card'],
  [
    'no kernel image is available for execution',
    "the card's architecture is not in the build",
    'a newer inferd may have code',
  ],
])('of a convolution that failed with %p the cause is told', (line, reason, nextStep) => {
  const told = reasonOf({ lines: [convolution + line] })
  expect(told.reason).toContain(reason)
  expect(told.nextStep).toContain(nextStep)
})

test('of several lines the last one that names a reason counts, a vague one where no other does', () => {
  const symbol = 'undefined symbol: Provider_SetHost'
  const kernel = 'CUDA error: an illegal memory access was encountered'
  const library = 'libcudnn.so.9: cannot open shared object file'
  const vague = 'a convolution was not computed (matrices were): it failed'
  const reason = (...lines: readonly string[]) => reasonOf({ lines }).reason
  expect(reason(symbol, kernel, 'ggml-cuda.cu:108: CUDA error')).toStartWith('a kernel failed on the card')
  expect(reason(kernel, symbol)).toContain('symbol Provider_SetHost is missing')
  expect(reason(library, vague)).toBe('library libcudnn.so.9 is missing')
  expect(reason(vague)).toStartWith('cuDNN 9 is missing or does not fit')
})
