import { afterEach, beforeEach, expect, test } from 'bun:test'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { UpstreamKey } from '../../core/upstream.ts'
import { readUpstreamKey } from './read-key.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inferd-key-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function put(content: string, mode = 0o600): string {
  const file = join(folder, 'upstream.key')
  writeFileSync(file, content)
  chmodSync(file, mode)
  return file
}

async function read(key: UpstreamKey, environment: Readonly<Record<string, string>> = {}) {
  const warnings: string[] = []
  const found = await readUpstreamKey(key, { environment, warn: (message) => warnings.push(message) })
  return { found, warnings }
}

async function failureOf(key: UpstreamKey, environment?: Readonly<Record<string, string>>): Promise<string> {
  return read(key, environment).then(
    () => 'it was read',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
}

test('a key is the one line of its file, or a variable, without the space around it', async () => {
  expect(await read({ file: put(' sk-1\n') })).toEqual({ found: 'sk-1', warnings: [] })
  expect(await read({ file: put('sk-2\r\n', 0o640) })).toEqual({ found: 'sk-2', warnings: [] })
  expect(await read({ variable: 'VLLM_KEY' }, { VLLM_KEY: 'sk-3' })).toEqual({ found: 'sk-3', warnings: [] })
})

test('a file that everybody can read is used, with a warning', async () => {
  const file = put('sk-1', 0o644)
  expect((await read({ file })).warnings).toEqual([
    `the key file ${file} can be read by every user of this machine: chmod o-r ${file}`,
  ])
})

test.each([
  ['an empty one', '', 'is empty'],
  ['an empty line', '\n', 'is empty'],
  ['two lines', 'sk-secret\nsk-other\n', 'has more than one line'],
  ['a line with spaces', 'sk-secret with spaces', 'has characters that no key has'],
  ['letters of other alphabets', 'sk-sécret', 'has characters that no key has'],
  ['bytes that are no text', '\0\0\0', 'has characters that no key has'],
  ['a large one', 'secret'.repeat(2_000), 'is larger than 8 kB: it is no key'],
])('a file is no key, and not quoted: %s', async (_, content, problem) => {
  const file = put(content)
  expect(await failureOf({ file })).toStartWith(`the key file ${file} ${problem}`)
  expect(await failureOf({ file })).not.toMatch(/s[eé]cret/)
})

test('what is no file is not waited for', async () => {
  expect(await failureOf({ file: folder })).toEndWith(' is not a file')
  expect(await failureOf({ file: join(folder, 'nothing') })).toEndWith(' cannot be read (ENOENT)')
  const fifo = join(folder, 'fifo')
  await Bun.spawn(['mkfifo', fifo]).exited
  expect(await failureOf({ file: fifo })).toEndWith(' is not a file')
  expect(await failureOf({ file: '/dev/zero' })).toEndWith(' is not a file')
})

test('a variable that is not set is said', async () => {
  const problem = 'the environment variable VLLM_KEY of its key is not set for this program'
  expect(await failureOf({ variable: 'VLLM_KEY' })).toBe(problem)
  expect(await failureOf({ variable: 'VLLM_KEY' }, { VLLM_KEY: ' ' })).toBe(problem)
})
