/** A server killed while it reads documents: its process ends too, the next start is clean, and nothing is charged. */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkIntegrity } from '../src/billing/integrity.ts'
import { documentProcesses, isRunning } from '../src/testing/document-processes.ts'
import { slowPdf } from '../src/testing/hostile-pdfs.ts'
import { toPdf } from '../src/testing/pdfs.ts'
import { moneyOf, openTestAccounts } from '../src/testing/test-accounts.ts'
import { until } from '../src/testing/until.ts'
import { type Serving, serve } from './kill-server/server-under-load.ts'

const manifest = `
id = "test/paid"
type = "vision"
engine = "fake"
[pricing]
input = 1
output = 1
unit = "1M_tokens"
`
const tokenNanoUsd = 1_000
const balance = 1_000_000_000

let dataDir: string
let path: string
let server: Serving
let payer: { readonly accountId: string; readonly key: string }

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'inferd-kill-'))
  path = join(dataDir, 'inferd.db')
  mkdirSync(join(dataDir, 'models.d'))
  writeFileSync(join(dataDir, 'models.d', 'paid.toml'), manifest)
  using books = openTestAccounts(path, Date.now)
  payer = books.account(balance)
  server = await serve(dataDir)
}, 60_000)

afterAll(async () => {
  server.process.kill('SIGKILL')
  await server.process.exited
  rmSync(dataDir, { recursive: true })
})

function ask(file: Uint8Array): Promise<Response> {
  const content = [{ type: 'file', file: { file_data: Buffer.from(file).toString('base64') } }]
  return fetch(`${server.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${payer.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'test/paid', messages: [{ role: 'user', content }] }),
  })
}

function money(): { balance: number; held: number } {
  using database = new Database(path, { readonly: true })
  const { problems, openHolds } = checkIntegrity(database)
  expect({ problems, openHolds }).toEqual({ problems: [], openHolds: 0 })
  return moneyOf(database, payer.accountId)
}

const spooled = () => readdirSync(join(dataDir, 'spool'))

/** Returns the processor time of a process, in hundredths of a second. */
function processorTicks(id: number): number {
  // Fields after the name, which is in brackets.
  const fields = readFileSync(`/proc/${id}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return Number(fields[11])
}

test.each([
  ['as it begins', 0],
  // Starting takes a tenth of a second.
  ['while it draws', 100],
])(
  '%s: its process ends, and the next server begins without files and charges',
  async (_, leastTicks) => {
    const before = money()
    const asked = ask(slowPdf()).catch(() => 'broken')
    const { pid } = server.process
    const [reading = 0] = await until(
      'a process',
      () => documentProcesses(pid),
      ({ length }) => length === 1,
    )
    await until(
      'computing',
      () => processorTicks(reading),
      (ticks) => ticks >= leastTicks,
    )
    expect(spooled()).toHaveLength(1)
    server.process.kill('SIGKILL')
    await server.process.exited
    expect(await asked).toBe('broken')
    await until(
      'the end of the process',
      () => isRunning(reading),
      (runs) => !runs,
    )
    server = await serve(dataDir)
    expect(spooled()).toEqual([])
    expect(money()).toEqual(before)

    const answer = await ask(toPdf([{ lines: ['quincunx'] }]))
    const { usage, choices } = Object(await answer.json())
    expect(choices[0].message.content).toContain('quincunx')
    await until('the end of the request', money, ({ held }) => held === 0)
    const tokens = usage.prompt_tokens + usage.completion_tokens
    expect(money()).toEqual({ balance: before.balance - tokens * tokenNanoUsd, held: 0 })
  },
  120_000,
)
