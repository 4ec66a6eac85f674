import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Spool, type SpooledFile, spoolDefaults } from './spool.ts'
import { moveBytes, writeBytes } from './write-bytes.ts'

let data = ''
let spool: Spool

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'inferd-spool-'))
  spool = new Spool({ folder: join(data, 'spool'), ...spoolDefaults })
})

afterEach(() => rmSync(data, { recursive: true }))

/** Returns 2.5 MB, so that they are written in several pieces. */
const someBytes = () => Uint8Array.from({ length: 2_500_000 }, (_, index) => index % 251)

test('bytes are written whole, kept, and stay in memory', async () => {
  const bytes = someBytes()
  const kept: SpooledFile[] = []
  const file = await writeBytes(spool, bytes, { accountId: 'acc_1', keep: (each) => kept.push(each) })
  expect(kept).toEqual([file])
  expect(readFileSync(file.path).equals(bytes)).toBe(true)
  expect(bytes).toHaveLength(2_500_000)
})

test('moved bytes leave the memory', async () => {
  const bytes = someBytes()
  const options = { accountId: 'acc_1', keep: () => undefined, signal: new AbortController().signal }
  const file = await moveBytes(spool, bytes, options)
  expect(readFileSync(file.path).equals(someBytes())).toBe(true)
  expect(bytes).toHaveLength(0)
})

test('nothing is written for a request whose client has disconnected', async () => {
  const signal = AbortSignal.abort(new Error('the client disconnected'))
  const moved = moveBytes(spool, someBytes(), { accountId: 'acc_1', keep: () => undefined, signal })
  expect(await moved.catch(String)).toContain('the client disconnected')
  const folder = join(data, 'spool')
  expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([])
})
