import { afterAll, expect, test } from 'bun:test'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deviceQuery, parseDevices, visibleDevices } from './nvidia-smi.ts'
import { devicePools, memoryReader } from './read-memory.ts'

const folder = mkdtempSync('/tmp/inferd-nvidia-smi-')
afterAll(() => rmSync(folder, { recursive: true }))

const mebibyte = 2 ** 20
const two = `GPU-aaaa1111-0000, NVIDIA GeForce RTX 4090, 570.86.15, [N/A], 24564, 24001
GPU-bbbb2222-0000, NVIDIA H100 80GB HBM3, 570.86.15, [N/A], 81559, 512
`

/** Makes a program with the tool's name from lines of shell. */
function fakeTool(script: string): { path: string; environment: Record<string, string> } {
  const program = join(folder, 'nvidia-smi')
  writeFileSync(program, `#!/bin/sh\n${script}\n`)
  chmodSync(program, 0o755)
  return { path: folder, environment: {} }
}

function printing(text: string, exitCode = 0): string {
  return `cat <<'END'\n${text.trimEnd()}\nEND\nexit ${exitCode}`
}

test('tells the memory of each device', async () => {
  expect(await memoryReader(fakeTool(printing(two)))()).toMatchObject({
    host: { totalBytes: expect.any(Number) },
    gpu0: {
      totalBytes: 24564 * mebibyte,
      freeBytes: 24001 * mebibyte,
      hardware: 'NVIDIA GeForce RTX 4090, driver 570.86.15',
      driver: '570.86.15',
    },
    gpu1: { totalBytes: 81559 * mebibyte, freeBytes: 512 * mebibyte },
  })
})

test('asks for what it reads', async () => {
  const asked = join(folder, 'asked')
  await deviceQuery(fakeTool(`echo "$@" > ${asked}`))()
  expect(await Bun.file(asked).text()).toBe(
    '--query-gpu=uuid,name,driver_version,mig.mode.current,memory.total,memory.free --format=csv,noheader,nounits\n',
  )
})

test('a machine without the tool has no devices', async () => {
  expect(await deviceQuery({ path: join(folder, 'empty'), environment: {} })()).toEqual([])
})

test.each([6, 9, 12])('nor has one where it ends with code %i: no device, driver or library', async (exitCode) => {
  expect(await deviceQuery(fakeTool(printing('No devices were found', exitCode)))()).toEqual([])
})

test.each([
  ['fails', printing(two, 15)],
  ['crashes', 'kill -SEGV $$'],
  ['prints something else', printing('Unable to determine the device handle for GPU 0000:01:00.0: Unknown Error')],
  ['prints without end', 'exec yes'],
])('a tool that %s leaves the devices unknown', async (_, script) => {
  expect(await deviceQuery(fakeTool(script))()).toBe('unknown')
})

test('a tool that hangs is killed after 2 seconds, and the devices are unknown', async () => {
  const pidFile = join(folder, 'pid')
  const startedMs = performance.now()
  expect(await deviceQuery(fakeTool(`echo $$ > ${pidFile}\nexec sleep 60`))()).toBe('unknown')
  expect(performance.now() - startedMs).toBeLessThan(4_000)
  const pid = Number(await Bun.file(pidFile).text())
  expect(() => process.kill(pid, 0)).toThrow()
})

test('as long as a tool does not end although it was killed, no other is started', async () => {
  const [started, ended] = [join(folder, 'started'), join(folder, 'ended')]
  // Its child keeps the pipe open, like a process that hangs in the driver.
  const query = deviceQuery(
    fakeTool(`echo >> ${started}\n(while [ ! -e ${ended} ]; do sleep 0.02; done) &\nexec sleep 60`),
  )
  expect(await query()).toBe('unknown')
  const secondMs = performance.now()
  expect(await query()).toBe('unknown')
  expect(performance.now() - secondMs).toBeLessThan(1_000)
  expect((await Bun.file(started).text()).length).toBe(1)
  await Bun.write(ended, '')
  fakeTool(printing(two))
  while ((await query()) === 'unknown') await Bun.sleep(10)
})

test('a device that was there stays, as unknown', async () => {
  const read = memoryReader(fakeTool(printing(two)))
  await read()
  fakeTool('exit 9')
  expect(await read()).toMatchObject({ gpu0: 'unknown', gpu1: 'unknown' })
  fakeTool(printing(two.split('\n').slice(1).join('\n')))
  expect(await read()).toMatchObject({ gpu0: { totalBytes: 81559 * mebibyte }, gpu1: 'unknown' })
})

test('where nothing is known of the devices there is one at least', () => {
  expect(devicePools('unknown', { host: 'unknown' })).toEqual({ gpu0: 'unknown' })
})

test('readings at the same time are one', async () => {
  const counted = join(folder, 'counted')
  const read = memoryReader(fakeTool(`echo >> ${counted}\n${printing(two)}`))
  await Promise.all([read(), read(), read()])
  expect((await Bun.file(counted).text()).length).toBe(1)
})

test('a device without memory of its own is no pool: it uses the host', () => {
  expect(parseDevices('GPU-cccc3333-0000, NVIDIA GB10, 580.95.05, [N/A], [N/A], [N/A]\n')).toMatchObject([
    { memory: 'host' },
  ])
  expect(devicePools(['host'], {})).toEqual({})
})

test.each([
  ['is divided into slices', 'GPU-dddd4444-0000, NVIDIA A100, 570.86.15, Enabled, 81559, 80000'],
  ['has failed', 'GPU-dddd4444-0000, NVIDIA A100, 570.86.15, [N/A], [Unknown Error], [Unknown Error]'],
  ['hides it', 'GPU-dddd4444-0000, NVIDIA A100, 570.86.15, Disabled, 81559, [Insufficient Permissions]'],
  ['has more free than it has', 'GPU-dddd4444-0000, NVIDIA A100, 570.86.15, Disabled, 100, 200'],
])('memory of a device that %s is unknown', (_, line) => {
  expect(parseDevices(line)).toMatchObject([{ memory: 'unknown' }])
})

test.each([
  [undefined, ['GPU-aaaa1111-0000', 'GPU-bbbb2222-0000']],
  ['1', ['GPU-bbbb2222-0000']],
  ['1,0', ['GPU-bbbb2222-0000', 'GPU-aaaa1111-0000']],
  ['GPU-bbbb', ['GPU-bbbb2222-0000']],
  ['0,7,1', ['GPU-aaaa1111-0000']],
  ['0,0', ['GPU-aaaa1111-0000']],
  ['', []],
  ['-1', []],
  ['MIG-eeee5555', []],
])('CUDA_VISIBLE_DEVICES=%p leaves %p', (variable, uuids) => {
  const devices = parseDevices(two)
  if (devices === 'unknown') throw new Error('not read')
  expect(visibleDevices(devices, variable).map(({ uuid }) => uuid)).toEqual(uuids)
})
