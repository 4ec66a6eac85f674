import { afterEach, beforeEach, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDataFolder } from './private-file.ts'

let folder = ''

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'inferd-private-')), 'data')
})

afterEach(() => rmSync(join(folder, '..'), { recursive: true }))

function modeOf(path: string): number {
  return statSync(path).mode & 0o777
}

test('a data folder is made for its owner alone', () => {
  createDataFolder(join(folder, 'deeper'))
  expect(modeOf(join(folder, 'deeper'))).toBe(0o700)
  createDataFolder(join(folder, 'deeper'))
})

test('an empty folder that is open to others is closed', () => {
  mkdirSync(folder)
  chmodSync(folder, 0o755)
  createDataFolder(folder)
  expect(modeOf(folder)).toBe(0o700)
})

test.each([0o755, 0o750, 0o770, 0o711, 0o777, 0o701, 0o702])(
  'one with something in it is refused (mode %o)',
  (mode) => {
    mkdirSync(folder)
    writeFileSync(join(folder, 'config.toml'), '')
    chmodSync(folder, mode)
    const command = `is open to other users (mode ${mode.toString(8)}); close it: chmod 700 ${folder}`
    expect(() => createDataFolder(folder)).toThrow(command)
    expect(modeOf(folder)).toBe(mode)
    chmodSync(folder, 0o700)
    createDataFolder(folder)
  },
)

test('a file in place of the folder is refused', () => {
  writeFileSync(folder, '')
  expect(() => createDataFolder(folder)).toThrow(`the data folder ${folder} can not be made`)
})
