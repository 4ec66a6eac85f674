/** No form makes the server fail or hang: random ones for each endpoint of recordings, different in each run. */
import { afterAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { mutatedJson } from '../testing/mutated-json.ts'
import { recording } from '../testing/recording.ts'
import { startTestServer } from '../testing/test-server.ts'

const pricing = { priceNanoUsd: 60_000_000, unit: 'minute' } as const
const manifest = {
  type: 'stt',
  transcriber: { kind: 'transducer', languages: ['en', 'de'] },
  capabilities: { diarization: true, translation: true, prompt: true },
  pricing,
} as const
const server = startTestServer({ models: { 'test/ears': { manifest } } })
afterAll(() => server[Symbol.asyncDispose]())

const cases = 250
/** Time after which a request counts as hanging. */
const hangsAfterMs = 10_000

const model = 'test/ears'
const bodies = {
  '/audio/transcriptions': [
    { model, response_format: 'diarized_json', min_speakers: '1', language: 'en' },
    { model, 'chunking_strategy[type]': 'server_vad', 'chunking_strategy[threshold]': '0.5' },
    { model, chunking_strategy: '{"type":"server_vad","silence_duration_ms":200,"prefix_padding_ms":300}' },
    { model, chunking_strategy: 'auto', 'languages[]': 'de', 'keywords[]': ['Ada', 'Ben'], prompt: 'Ada, Ben' },
    { model, 'include[]': 'logprobs', response_format: 'json', stream: 'true' },
    { model, response_format: 'srt', 'timestamp_granularities[]': ['word'] },
    { model, 'known_speaker_names[]': ['Ann'], 'known_speaker_references[]': ['data:audio/wav;base64,AA'] },
  ],
  '/audio/translations': [
    { model, response_format: 'verbose_json', prompt: 'Ada', temperature: '0.5' },
    { model, response_format: 'srt' },
    { model },
  ],
} as const

/** Returns a form with the fields of an object; fields of a list are repeated. */
function formOf(body: unknown): FormData {
  const form = new FormData()
  form.append('file', new Blob([recording(1)]), 'a.wav')
  for (const [name, value] of Object.entries(Object(body)))
    for (const each of [value].flat()) form.append(name, typeof each === 'string' ? each : JSON.stringify(each))
  return form
}

test.each(Object.entries(bodies))(
  'no form makes %s fail or hang, and its money is exact',
  async (path, valid) => {
    const payer = server.payer(100_000_000_000)
    const statuses = new Map<number, number>()
    const property = fc.asyncProperty(mutatedJson(valid), async (json) => {
      const response = await fetch(server.baseUrl + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${payer.key}` },
        body: formOf(JSON.parse(json)),
        signal: AbortSignal.timeout(hangsAfterMs),
      })
      const text = await response.text()
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
      expect([200, 400, 404]).toContain(response.status)
      if (response.status === 200) return
      expect(JSON.parse(text)).toMatchObject({
        error: { message: expect.any(String), type: 'invalid_request_error', code: expect.any(String) },
      })
    })
    await fc.assert(property, { numRuns: cases, includeErrorInReport: true })
    expect(statuses.get(200) ?? 0).toBeGreaterThan(cases / 10)
    expect(statuses.get(400) ?? 0).toBeGreaterThan(cases / 20)
    // Each answer costs a second of recording.
    const paid = (statuses.get(200) ?? 0) * 1_000_000
    expect(payer.money()).toEqual({ balance: 100_000_000_000 - paid, held: 0 })
    await server.drained()
    expect(server.spooled()).toEqual([])
  },
  120_000,
)
