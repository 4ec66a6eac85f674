import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { runtimePaths } from '../runtime/runtime-paths.ts'
import { askDevices, toDevice } from './ask-devices.ts'
import { engineSpawn } from './spawn-engine.ts'

const main = join(import.meta.dir, '..', '..', 'main.ts')

/** Starts of children and their ends. */
function spawning(command: readonly string[]) {
  const ends: string[] = []
  const spawn = engineSpawn({ command, environment: {} })
  const noting: typeof spawn = (kind, handlers) =>
    spawn(kind, { ...handlers, onExit: (reason) => handlers.onExit(ends[ends.push(reason) - 1] ?? '') })
  return { ends, spawn: noting }
}

test('a child says which devices llama.cpp sees, and ends', async () => {
  const { ends, spawn } = spawning([process.execPath, main])
  const devices = await askDevices(spawn, () => runtimePaths(''))
  if (devices === 'unknown') throw new Error('the child did not answer')
  for (const device of devices) expect(device === 'host' || device === 'unknown' || device.totalBytes > 0).toBe(true)
  expect(ends).toEqual(['exit code 0'])
})

test('where the child fails, or the libraries are not there, nothing is known', async () => {
  const { spawn } = spawning([process.execPath, '-e', 'process.exit(3)'])
  expect(await askDevices(spawn, () => runtimePaths(''))).toBe('unknown')
  expect(await askDevices(spawn, () => Promise.reject(new Error('the disk is full')))).toBe('unknown')
})

test('a device without memory of its own uses the host', () => {
  const device = { name: 'AMD Radeon RX 7900 XTX', isIntegrated: false, totalBytes: 24e9, freeBytes: 23e9 }
  expect(toDevice(device)).toEqual({ totalBytes: 24e9, freeBytes: 23e9, hardware: 'AMD Radeon RX 7900 XTX' })
  expect(toDevice({ ...device, isIntegrated: true })).toBe('host')
  expect(toDevice({ ...device, totalBytes: 0, freeBytes: 0 })).toBe('unknown')
})
