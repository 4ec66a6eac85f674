import { expect, test } from 'bun:test'
import { type HostUse, MemorySampler } from './memory-sampler.ts'

const mebibyte = 2 ** 20

/** Program that holds as many megabytes as it was last told, and reports when it does. */
const holder = `
  let held
  process.stdin.setEncoding('utf8').on('data', (megabytes) => {
    held = undefined
    Bun.gc(true)
    held = new Uint8Array(Number(megabytes) << 20).fill(1)
    process.stdout.write('held')
  }).on('end', () => process.exit(held?.length > 0 ? 0 : 1))`

function startHolder() {
  const child = Bun.spawn([process.execPath, '-e', holder], { stdin: 'pipe', stdout: 'pipe' })
  const answers = child.stdout.getReader()
  return {
    pid: child.pid,
    hold: async (megabytes: number) => {
      child.stdin.write(`${megabytes}`)
      child.stdin.flush()
      await answers.read()
    },
    [Symbol.asyncDispose]: async () => {
      await child.stdin.end()
      await child.exited
    },
  }
}

test('tells what a model uses when it is loaded, and when that changes', async () => {
  await using engine = startHolder()
  const told: [string, HostUse][] = []
  const sampler = new MemorySampler({ onChange: (modelId, use) => told.push([modelId, use]) })
  await engine.hold(100)
  sampler.start('test/model', engine.pid)
  sampler.sample()
  expect(told.map(([modelId]) => modelId)).toEqual(['test/model'])
  await engine.hold(200)
  sampler.sample()
  expect(told).toHaveLength(2)
  const [first, second] = told.map(([, use]) => use.usedBytes)
  expect((second ?? 0) - (first ?? 0)).toBeWithin(80 * mebibyte, 120 * mebibyte)
  sampler.stop('test/model')
})

test('the peak is of the time since the load, also between two samples', async () => {
  await using engine = startHolder()
  const sampler = new MemorySampler({ onChange: () => undefined })
  await engine.hold(400)
  await engine.hold(50)
  sampler.start('test/model', engine.pid)
  await engine.hold(200)
  await engine.hold(50)
  const use = sampler.stop('test/model')
  expect(use?.peakBytes).toBeWithin(200 * mebibyte, 390 * mebibyte)
  expect(use?.usedBytes).toBeLessThan(150 * mebibyte)
})

test('what was measured last is told when its process has ended', async () => {
  const sampler = new MemorySampler({ onChange: () => undefined })
  {
    await using engine = startHolder()
    await engine.hold(100)
    sampler.start('test/model', engine.pid)
  }
  expect(sampler.stop('test/model')?.usedBytes).toBeGreaterThan(100 * mebibyte)
  expect(sampler.stop('test/model')).toBeUndefined()
})

test('a process that was never there has no use', () => {
  const sampler = new MemorySampler({ onChange: () => undefined })
  sampler.start('test/model', 2 ** 30)
  expect(sampler.stop('test/model')).toBeUndefined()
})
