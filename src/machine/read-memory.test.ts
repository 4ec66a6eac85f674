import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Devices, memoryReader } from './read-memory.ts'

/** Folder with a device that draws, and no NVIDIA tool. */
const folder = mkdtempSync('/tmp/inferd-devices-')
writeFileSync(join(folder, 'renderD128'), '')
afterAll(() => rmSync(folder, { recursive: true }))

function reader(answers: Devices[], deviceFolder = folder) {
  const asked: Devices[] = []
  const read = memoryReader({
    path: folder,
    environment: { CUDA_VISIBLE_DEVICES: '' },
    deviceFolder,
    otherDevices: async () => {
      const answer = answers.shift() ?? 'unknown'
      asked.push(answer)
      return answer
    },
  })
  return { read, asked }
}

test('devices of other makers are numbered as engines see them', async () => {
  const large = { totalBytes: 24e9, freeBytes: 20e9, hardware: 'AMD Radeon RX 7900 XTX' }
  const { read } = reader([[large, 'host', 'unknown']])
  const { host, ...devices } = await read()
  expect(host).not.toBe('unknown')
  expect(devices).toEqual({ gpu0: large, gpu2: 'unknown' })
})

test('where there was none nobody is asked again', async () => {
  const { read, asked } = reader([[]])
  expect(Object.keys(await read())).toEqual(['host'])
  expect(Object.keys(await read())).toEqual(['host'])
  expect(asked).toHaveLength(1)
})

test('where a driver does not answer, it is asked again', async () => {
  const { read } = reader(['unknown', [{ totalBytes: 8e9, freeBytes: 7e9 }]])
  expect(await read()).toMatchObject({ gpu0: 'unknown' })
  expect(await read()).toMatchObject({ gpu0: { freeBytes: 7e9 } })
})

test('nobody is asked where nothing can compute or draw', async () => {
  const { read, asked } = reader([[{ totalBytes: 8e9, freeBytes: 7e9 }]], join(folder, 'none'))
  expect(Object.keys(await read())).toEqual(['host'])
  expect(asked).toEqual([])
})
