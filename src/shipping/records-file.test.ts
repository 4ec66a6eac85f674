import { afterAll, expect, test } from 'bun:test'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FileSink } from './file-sink.ts'
import { recordLine } from './record-lines.ts'
import { RecordsFile } from './records-file.ts'
import type { ShippedRecord } from './shipped-record.ts'

const root = mkdtempSync(join(tmpdir(), 'inferd-records-'))
const files: RecordsFile[] = []
afterAll(() => {
  for (const file of files) file.close()
  rmSync(root, { recursive: true })
})

const dayMs = 86_400_000
const startMs = 20_000 * dayMs

function audit(id: number): ShippedRecord {
  return {
    kind: 'audit',
    row: { id, createdMs: startMs, actor: 'cli:root', action: 'credit', details: { text: 'ä\n"' } },
  }
}

let folders = 0

/** Returns a file in a folder of its own, with a clock that the test sets. */
function fileIn(folder = join(root, `${folders++}`), options: { maximumBytes?: number; keepDays?: number } = {}) {
  const clock = { nowMs: startMs }
  const path = join(folder, 'records.jsonl')
  mkdirSync(folder, { recursive: true })
  const file = new RecordsFile({ path, maximumBytes: 1e9, keepDays: 0, ...options, clock: () => clock.nowMs })
  files.push(file)
  const add = (records: readonly ShippedRecord[]) => file.append(records.map(recordLine).join(''), { isFlushed: true })
  const lines = (name = 'records.jsonl') =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  return { file, add, clock, folder, path, lines, ids: (name?: string) => lines(name).map(({ id }) => id) }
}

test('a record is a line of JSON that only the owner reads', () => {
  const { add, lines, path } = fileIn()
  add([audit(1)])
  expect(lines()).toEqual([
    {
      ...{ time: new Date(startMs).toISOString(), kind: 'audit', id: 1, actor: 'cli:root', action: 'credit' },
      details: { text: 'ä\n"' },
    },
  ])
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('after a crash the file itself tells the last audit row, and a torn line is cut off', () => {
  const { add, folder, path, ids } = fileIn()
  add([audit(1), audit(2)])
  const request = { requestId: 'req_1', state: 'ended', arrivedAtMs: 0, durationMs: 1, endpoint: 'messages' } as const
  add(Array.from({ length: 2_000 }, () => ({ kind: 'request', record: request }) as const))
  appendFileSync(path, '{"time":"2024-10-04T00:00:00.000Z","kind":"audit","id":3,"act')
  const next = fileIn(folder)
  expect(next.file.lastAuditId()).toBe(2)
  next.add([audit(3)])
  expect(ids().filter((id) => id !== undefined)).toEqual([1, 2, 3])
})

test('an empty file and one of requests alone tell no audit row', () => {
  const { file, add } = fileIn()
  expect(file.lastAuditId()).toBeUndefined()
  add([{ kind: 'event', event: { type: 'backup.failed', failedMs: 1 }, atMs: 0 }])
  expect(file.lastAuditId()).toBeUndefined()
})

test('a file that another program renamed is begun anew, and loses nothing', () => {
  const { file, add, path, ids } = fileIn()
  add([audit(1)])
  renameSync(path, `${path}.1`)
  add([audit(2)])
  file.reopen()
  add([audit(3)])
  expect([ids('records.jsonl.1'), ids()]).toEqual([[1], [2, 3]])
})

test('a large file is renamed, and one at the end of its day', () => {
  const { add, clock, folder, ids } = fileIn(undefined, { maximumBytes: 200 })
  add([audit(1), audit(2)])
  add([audit(3)])
  clock.nowMs += dayMs
  add([audit(4)])
  const [first = '', second = '', ...rest] = readdirSync(folder).sort()
  expect(rest).toEqual(['records.jsonl'])
  expect([first, second]).toEqual(['records.20241004T000000Z.jsonl', 'records.20241005T000000Z.jsonl'])
  expect([ids(first), ids(second), ids()]).toEqual([[1, 2], [3], [4]])
})

test('renamed files go after their days, and no other file goes', () => {
  const { add, clock, folder } = fileIn(undefined, { keepDays: 2 })
  appendFileSync(join(folder, 'records.notes.jsonl'), 'x')
  for (let day = 0; day < 5; day++) {
    add([audit(day)])
    clock.nowMs += dayMs
  }
  expect(readdirSync(folder).sort()).toEqual([
    ...['records.20241006T000000Z.jsonl', 'records.20241007T000000Z.jsonl', 'records.20241008T000000Z.jsonl'],
    ...['records.jsonl', 'records.notes.jsonl'],
  ])
})

test.each(['SQLite format 3\0 and so on\nmore', '127.0.0.1 localhost'])(
  'the file of another program, %p, stays as it is',
  (text) => {
    const { file, add, path } = fileIn()
    appendFileSync(path, text)
    for (const use of [() => add([audit(1)]), () => file.lastAuditId()]) {
      expect(use).toThrow('name another one')
    }
    expect(readFileSync(path, 'utf8')).toBe(text)
  },
)

test('a folder that cannot be written is told', () => {
  const file = new RecordsFile({ path: join(root, 'none', 'x.jsonl'), maximumBytes: 1, keepDays: 0, clock: Date.now })
  expect(() => file.check()).toThrow('ENOENT')
})

test('a thread writes the file, and tells the errors of the disk', async () => {
  const path = join(root, 'by-thread.jsonl')
  const sink = new FileSink({ path, maximumBytes: 1e9, keepDays: 0 })
  expect(await sink.send([audit(1), audit(2)])).toBe(0)
  expect(await sink.lastAuditId()).toBe(2)
  renameSync(path, `${path}.1`)
  sink.reopen()
  await sink.send([audit(3)])
  expect(readFileSync(path, 'utf8')).toBe(recordLine(audit(3)))
  await sink.close()
  const nowhere = new FileSink({ path: join(root, 'none', 'x.jsonl'), maximumBytes: 1, keepDays: 0 })
  for (const use of [() => nowhere.check(), () => nowhere.send([audit(1)])]) {
    expect(await use().catch(String)).toContain('ENOENT')
  }
  await nowhere.close()
})
