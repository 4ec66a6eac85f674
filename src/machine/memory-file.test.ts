import { expect, test } from 'bun:test'
import { closeSync, fstatSync, readdirSync, readlinkSync, readSync, writeSync } from 'node:fs'
import { openMemoryFile } from './memory-file.ts'

test('keeps what is written, without a name in any file system', () => {
  const file = openMemoryFile('inferd test') ?? -1
  expect(readlinkSync(`/proc/self/fd/${file}`)).toBe('/memfd:inferd test (deleted)')
  expect(fstatSync(file).size).toBe(0)
  writeSync(file, new TextEncoder().encode('some text'), 0, 9, 100)
  const read = new Uint8Array(9)
  readSync(file, read, 0, 9, 100)
  expect(new TextDecoder().decode(read)).toBe('some text')
  closeSync(file)
})

test('processes that are started do not have it', () => {
  const file = openMemoryFile('inferd test') ?? -1
  const { stdout } = Bun.spawnSync([
    'readlink',
    '-m',
    ...readdirSync('/proc/self/fd').map((fd) => `/proc/self/fd/${fd}`),
  ])
  expect(stdout.toString()).not.toContain('memfd')
  closeSync(file)
})
