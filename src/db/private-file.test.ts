import { afterEach, beforeEach, expect, test } from 'bun:test'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDataFolder } from './private-file.ts'

let parent = ''
let folder = ''

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'inferd-private-'))
  folder = join(parent, 'data')
})

afterEach(() => rmSync(parent, { recursive: true }))

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

test.each(['755', '750', '770', '711', '777', '701', '702'])(
  'one with something in it is refused (mode %s)',
  (mode) => {
    mkdirSync(folder)
    writeFileSync(join(folder, 'config.toml'), '')
    chmodSync(folder, Number.parseInt(mode, 8))
    const command = `is open to other users (mode ${mode}); close it: chmod 700 ${folder}`
    expect(() => createDataFolder(folder)).toThrow(command)
    expect(modeOf(folder).toString(8)).toBe(mode)
    chmodSync(folder, 0o700)
    createDataFolder(folder)
  },
)

test.if(process.getuid?.() === 0)(
  'one of another user, as a volume of a group is, is refused with another way out',
  () => {
    mkdirSync(folder)
    chmodSync(folder, 0o770)
    chownSync(folder, 54_321, 54_321)
    expect(() => createDataFolder(folder)).toThrow(`(mode 770); use a folder in it: --data ${folder}/inferd`)
  },
)

test('a file in place of the folder is refused', () => {
  writeFileSync(folder, '')
  expect(() => createDataFolder(folder)).toThrow(`the data folder ${folder} cannot be made`)
})
