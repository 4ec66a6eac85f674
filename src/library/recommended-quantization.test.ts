import { expect, test } from 'bun:test'
import type { Fit } from './fit.ts'
import { recommendedIn } from './recommended-quantization.ts'

const model = (name: string, bytes: number, verdict: Fit['verdict'] | undefined = 'fits') => {
  const fit = verdict && { verdict, pool: 'host' as const, needBytes: bytes, freeBytes: 100, heldBytes: 0 }
  return { name, bytes, fit }
}
const best = (models: ReturnType<typeof model>[], freeDiskBytes = 1_000) => recommendedIn(models, freeDiskBytes)?.name

test('the largest model of up to 8 bits that fits beside the others is recommended', () => {
  const all = [model('Q2_K', 20), model('Q4_K_M', 40), model('Q8_0', 80), model('F16', 90)]
  expect(best(all)).toBe('Q8_0')
  expect(best([...all.slice(0, 2), model('Q8_0', 80, 'alone'), model('F16', 90, 'too-large')])).toBe('Q4_K_M')
})

test('models of 3 bits, and those that just fit onto the disk, are recommended', () => {
  expect(best([model('Q2_K', 20), model('Q3_K_M', 30)], 30)).toBe('Q3_K_M')
})

test('a model that fits alone is recommended where none fits beside the others', () => {
  expect(best([model('Q4_K_M', 40, 'alone'), model('Q8_0', 80, 'too-large')])).toBe('Q4_K_M')
})

test('nothing is recommended that is too large for memory or disk, has too few bits, or is not known', () => {
  expect(best([model('Q4_K_M', 40, 'too-large')])).toBeUndefined()
  expect(best([model('Q4_K_M', 40)], 30)).toBeUndefined()
  expect(best([model('IQ2_M', 40), model('model', 10)])).toBeUndefined()
  expect(recommendedIn([{ name: 'Q4_0', bytes: 40, fit: undefined }], 100)).toBeUndefined()
})
