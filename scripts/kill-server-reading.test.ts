/** A server killed while it reads documents: its process ends too, the next start is clean, and nothing is charged. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { documentProcesses, isRunning } from '../src/testing/document-processes.ts'
import { slowPdf } from '../src/testing/hostile-pdfs.ts'
import { toPdf } from '../src/testing/pdfs.ts'
import { until } from '../src/testing/until.ts'
import { type KilledServer, paidManifest, startKilledServer } from './kill-server/killed-server.ts'

const tokenNanoUsd = 1_000

let server: KilledServer

beforeAll(async () => {
  server = await startKilledServer({ manifests: { paid: paidManifest('vision') } })
}, 60_000)

afterAll(async () => {
  await server[Symbol.asyncDispose]()
})

function ask(file: Uint8Array): Promise<Response> {
  const content = [{ type: 'file', file: { file_data: Buffer.from(file).toString('base64') } }]
  return server.ask('chat/completions', { model: 'test/paid', messages: [{ role: 'user', content }] })
}

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
    const before = server.money()
    const asked = ask(slowPdf()).catch(() => 'broken')
    const [reading = 0] = await until(
      'a process',
      () => documentProcesses(server.pid()),
      ({ length }) => length === 1,
    )
    await until(
      'computing',
      () => processorTicks(reading),
      (ticks) => ticks >= leastTicks,
    )
    expect(server.spooled()).toHaveLength(1)
    await server.kill()
    expect(await asked).toBe('broken')
    await until(
      'the end of the process',
      () => isRunning(reading),
      (runs) => !runs,
    )
    await server.restart()
    expect(server.spooled()).toEqual([])
    expect(server.money()).toEqual(before)

    const answer = await ask(toPdf([{ lines: ['quincunx'] }]))
    const { usage, choices } = Object(await answer.json())
    expect(choices[0].message.content).toContain('quincunx')
    await until('the end of the request', server.money, ({ held }) => held === 0)
    const tokens = usage.prompt_tokens + usage.completion_tokens
    expect(server.money()).toEqual({ balance: before.balance - tokens * tokenNanoUsd, held: 0 })
  },
  120_000,
)
