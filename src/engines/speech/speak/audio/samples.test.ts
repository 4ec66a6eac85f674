import { expect, test } from 'bun:test'
import { toPcm, trimSilence } from './samples.ts'

const sampleRateHz = 1000

test('a sentence comes and goes softly, and its pause is silent', () => {
  const pcm = toPcm(new Float32Array(100).fill(1), sampleRateHz, 0.05)
  expect(pcm).toHaveLength(150)
  expect([...pcm.subarray(0, 6)]).toEqual([6553, 13_107, 19_660, 26_214, 32_767, 32_767])
  expect([...pcm.subarray(94, 101)]).toEqual([32_767, 32_767, 26_214, 19_660, 13_107, 6553, 0])
})

test('what is louder than full scale is cut', () => {
  const samples = new Float32Array(20).fill(1.5).fill(-1.5, 10)
  expect([...toPcm(samples, sampleRateHz, 0).subarray(9, 11)]).toEqual([32_767, -32_768])
})

test('silence around a sentence goes, but for a margin', () => {
  const samples = new Float32Array(1000).fill(0.004).fill(0.5, 400, 500)
  expect([...trimSilence(samples, sampleRateHz)]).toEqual([...samples.subarray(370, 530)])
  expect(trimSilence(samples.subarray(390, 510), sampleRateHz)).toHaveLength(120)
  expect(trimSilence(samples.subarray(0, 300), sampleRateHz)).toHaveLength(0)
})
