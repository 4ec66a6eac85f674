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
import type { ShippedRecord } from './shipped-record.ts'

const root = mkdtempSync(join(tmpdir(), 'inferd-records-'))
const sinks: FileSink[] = []
afterAll(async () => {
  for (const sink of sinks) await sink.close()
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

/** Returns a sink over a folder of its own, with a clock that the test sets. */
function sinkIn(folder = join(root, `${folders++}`), options: { maximumBytes?: number; keepDays?: number } = {}) {
  const clock = { nowMs: startMs }
  const path = join(folder, 'records.jsonl')
  mkdirSync(folder, { recursive: true })
  const sink = new FileSink({ path, maximumBytes: 1e9, keepDays: 0, ...options, clock: () => clock.nowMs })
  sinks.push(sink)
  const lines = (name = 'records.jsonl') =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  return { sink, clock, folder, path, lines, ids: (name?: string) => lines(name).map(({ id }) => id) }
}

test('a record is a line of JSON that only the owner reads', async () => {
  const { sink, lines, path } = sinkIn()
  await sink.send([audit(1)])
  expect(lines()).toEqual([
    {
      ...{ time: new Date(startMs).toISOString(), kind: 'audit', id: 1, actor: 'cli:root', action: 'credit' },
      details: { text: 'ä\n"' },
    },
  ])
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('after a crash the file itself tells the last audit row, and a torn line is cut off', async () => {
  const { sink, folder, path, ids } = sinkIn()
  await sink.send([audit(1), audit(2)])
  const request = { requestId: 'req_1', state: 'ended', arrivedAtMs: 0, durationMs: 1, endpoint: 'messages' } as const
  await sink.send(Array.from({ length: 2_000 }, () => ({ kind: 'request', record: request }) as const))
  appendFileSync(path, '{"time":"2024-10-04T00:00:00.000Z","kind":"audit","id":3,"act')
  const next = sinkIn(folder)
  expect(await next.sink.lastAuditId()).toBe(2)
  await next.sink.send([audit(3)])
  expect(ids().filter((id) => id !== undefined)).toEqual([1, 2, 3])
})

test('an empty file and one of requests alone tell no audit row', async () => {
  const { sink } = sinkIn()
  expect(await sink.lastAuditId()).toBeUndefined()
  await sink.send([{ kind: 'event', event: { type: 'backup.failed', failedMs: 1 }, atMs: 0 }])
  expect(await sink.lastAuditId()).toBeUndefined()
})

test('a file that another program renamed is begun anew, and loses nothing', async () => {
  const { sink, path, ids } = sinkIn()
  await sink.send([audit(1)])
  renameSync(path, `${path}.1`)
  await sink.send([audit(2)])
  sink.reopen()
  await sink.send([audit(3)])
  expect([ids('records.jsonl.1'), ids()]).toEqual([[1], [2, 3]])
})

test('a large file is renamed, and one at the end of its day', async () => {
  const { sink, clock, folder, ids } = sinkIn(undefined, { maximumBytes: 200 })
  await sink.send([audit(1), audit(2)])
  await sink.send([audit(3)])
  clock.nowMs += dayMs
  await sink.send([audit(4)])
  const [first = '', second = '', ...rest] = readdirSync(folder).sort()
  expect(rest).toEqual(['records.jsonl'])
  expect([first, second]).toEqual(['records.20241004T000000Z.jsonl', 'records.20241005T000000Z.jsonl'])
  expect([ids(first), ids(second), ids()]).toEqual([[1, 2], [3], [4]])
})

test('renamed files go after their days, and no other file goes', async () => {
  const { sink, clock, folder } = sinkIn(undefined, { keepDays: 2 })
  appendFileSync(join(folder, 'records.notes.jsonl'), 'x')
  for (let day = 0; day < 5; day++) {
    await sink.send([audit(day)])
    clock.nowMs += dayMs
  }
  expect(readdirSync(folder).sort()).toEqual([
    ...['records.20241006T000000Z.jsonl', 'records.20241007T000000Z.jsonl', 'records.20241008T000000Z.jsonl'],
    ...['records.jsonl', 'records.notes.jsonl'],
  ])
})

test.each(['SQLite format 3\0 and so on\nmore', '127.0.0.1 localhost'])(
  'the file of another program, %p, stays as it is',
  async (text) => {
    const { sink, path } = sinkIn()
    appendFileSync(path, text)
    for (const use of [() => sink.send([audit(1)]), () => sink.lastAuditId()]) {
      expect(await use().catch(String)).toContain('name another one')
    }
    expect(readFileSync(path, 'utf8')).toBe(text)
  },
)

test('a folder that cannot be written is told', async () => {
  const sink = new FileSink({ path: join(root, 'none', 'x.jsonl'), maximumBytes: 1, keepDays: 0, clock: Date.now })
  await sink.check().then(
    () => expect.unreachable(),
    (error) => expect(String(error)).toContain('ENOENT'),
  )
})
