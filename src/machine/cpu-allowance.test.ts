import { expect, test } from 'bun:test'
import { defaultThreads, quotaCores, readCpuAllowance } from './cpu-allowance.ts'

test('leaves one physical core to the rest of the machine', () => {
  expect(defaultThreads({ physicalCores: 8, allowedProcessors: 16, quotaCores: undefined })).toBe(7)
})

test('never uses more than affinity and quota allow', () => {
  expect(defaultThreads({ physicalCores: 8, allowedProcessors: 4, quotaCores: undefined })).toBe(3)
  expect(defaultThreads({ physicalCores: 8, allowedProcessors: 16, quotaCores: 2.5 })).toBe(2)
})

test('uses one thread where there is only one core', () => {
  expect(defaultThreads({ physicalCores: 1, allowedProcessors: 1, quotaCores: 0.5 })).toBe(1)
})

test('of nested groups the least quota counts', () => {
  const groups = ['max 100000\n', '400000 100000\n', '150000 100000\n', undefined].map((text) => () => text)
  expect(quotaCores(groups)).toBe(1.5)
  expect(quotaCores([])).toBeUndefined()
})

test('reads a plausible allowance from this machine', () => {
  const { physicalCores, allowedProcessors } = readCpuAllowance()
  expect(physicalCores).toBeGreaterThanOrEqual(1)
  expect(allowedProcessors).toBeGreaterThanOrEqual(1)
})
