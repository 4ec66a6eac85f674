import { expect, test } from 'bun:test'
import { forgetPeak, parentOf, parseStatus, readProcessMemory } from './process-memory.ts'

const mebibyte = 2 ** 20

test('mapped files are resident and not private', () => {
  const status =
    'Name:\tinferd\nVmPeak:\t 9999999 kB\nVmHWM:\t 3145728 kB\nVmRSS:\t 2097152 kB\nRssAnon:\t 524288 kB\nRssFile:\t 1572864 kB\n'
  expect(parseStatus(status)).toEqual({
    residentBytes: 2048 * mebibyte,
    peakBytes: 3072 * mebibyte,
    privateBytes: 512 * mebibyte,
  })
})

test('a process that has ended has no memory', () => {
  expect(parseStatus('Name:\tinferd\nState:\tZ (zombie)\n')).toBeUndefined()
  expect(readProcessMemory([2 ** 30])).toEqual(new Map())
})

test('the name of a process does not hide its parent', () => {
  expect(parentOf('4711 (a) S 9 (b) c) S 42 4711 4711 0')).toBe(42)
  expect(parentOf('')).toBeUndefined()
})

test('memory of a process counts with that of the processes that it has started', async () => {
  const holding = (megabytes: number) => `
    const held = new Uint8Array(${megabytes} << 20).fill(1)
    process.stdout.write('ready')
    setInterval(() => held.at(0), 1000)`
  const starting = `
    const child = Bun.spawn([process.execPath, '-e', ${JSON.stringify(holding(96))}], { stdout: 'pipe' })
    await child.stdout.getReader().read()
    ${holding(64)}
    process.stdin.on('end', () => { child.kill(); process.exit() }).resume()`
  const child = Bun.spawn([process.execPath, '-e', starting], { stdin: 'pipe', stdout: 'pipe' })
  await child.stdout.getReader().read()
  const memory = readProcessMemory([child.pid, process.pid])
  await child.stdin.end()
  await child.exited
  const family = memory.get(child.pid)
  expect(family?.privateBytes).toBeGreaterThan(160 * mebibyte)
  expect(family?.residentBytes).toBeGreaterThanOrEqual(family?.privateBytes ?? Number.POSITIVE_INFINITY)
  expect(family?.peakBytes).toBeGreaterThanOrEqual(family?.residentBytes ?? Number.POSITIVE_INFINITY)
  // The child is a descendant of this process.
  expect(memory.get(process.pid)?.residentBytes).toBeGreaterThan(family?.residentBytes ?? Number.POSITIVE_INFINITY)
})

test('a peak can be forgotten', async () => {
  const script = `
    let held = new Uint8Array(256 << 20).fill(1)
    held = undefined
    Bun.gc(true)
    process.stdout.write('ready')
    process.stdin.on('end', () => process.exit()).resume()`
  const child = Bun.spawn([process.execPath, '-e', script], { stdin: 'pipe', stdout: 'pipe' })
  await child.stdout.getReader().read()
  const peak = () => readProcessMemory([child.pid]).get(child.pid)?.peakBytes
  expect(peak()).toBeGreaterThan(256 * mebibyte)
  forgetPeak(child.pid)
  expect(peak()).toBeLessThan(256 * mebibyte)
  await child.stdin.end()
  await child.exited
})
