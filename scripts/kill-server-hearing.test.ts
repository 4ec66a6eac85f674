/** A server killed while it transcribes a recording, or in the chat after that: the next start charges nothing. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { recording } from '../src/testing/recording.ts'
import { until } from '../src/testing/until.ts'
import { type KilledServer, startKilledServer } from './kill-server/killed-server.ts'

const tokenNanoUsd = 1_000
const secondNanoUsd = 1_000_000

let server: KilledServer

beforeAll(async () => {
  server = await startKilledServer({
    manifests: {
      deaf: 'id = "test/deaf"\ntype = "chat"\nengine = "fake"\n[pricing]\ninput = 1\noutput = 1\nunit = "1M_tokens"\n',
      ears: 'id = "test/ears"\ntype = "stt"\nengine = "fake"\n[pricing]\nprice = 0.06\nunit = "minute"\n',
    },
    config: 'audio_fallback = "test/ears"\n',
  })
}, 60_000)

afterAll(async () => {
  await server[Symbol.asyncDispose]()
})

function ask(speech: readonly object[], chat: readonly object[]): Promise<Response> {
  const heard = recording(2, JSON.stringify({ transcribe: { script: speech } })).toString('base64')
  const messages = [
    { role: 'user', content: [{ type: 'input_audio', input_audio: { data: heard, format: 'wav' } }] },
    { role: 'user', content: JSON.stringify({ script: chat, promptTokens: 7 }) },
  ]
  return server.ask('chat/completions', { model: 'test/deaf', messages, max_tokens: 50 })
}

const words = { output: { type: 'segment', text: 'hello', startSeconds: 0, endSeconds: 1 } }
const answer = [{ text: 'b' }]
const wait = { waitForCancel: true }

test.each<[when: string, speech: readonly object[], chat: readonly object[], least: number]>([
  ['it transcribes', [words, wait], answer, 2 * secondNanoUsd],
  ['the chat has what was transcribed', [words], [...answer, wait], 2 * secondNanoUsd + 7 * tokenNanoUsd],
])(
  'killed while %s: nothing stays held, and both are paid exactly the next time',
  async (_, speech, chat, least) => {
    const before = server.money()
    const asked = ask(speech, chat).then(
      (response) => response.text().catch(() => 'broken'),
      () => 'broken',
    )
    await until(
      'the money to be held',
      () => server.money().held,
      (held) => held >= least,
    )
    await server.kill()
    expect(await asked).toBe('broken')
    await server.restart()
    expect(server.money()).toEqual({ balance: before.balance, held: 0 })
    expect(server.spooled()).toEqual([])

    const response = await ask([words], answer)
    expect(response.status).toBe(200)
    await response.text()
    const cost = 2 * secondNanoUsd + 8 * tokenNanoUsd
    expect(server.money()).toEqual({ balance: before.balance - cost, held: 0 })
  },
  60_000,
)
