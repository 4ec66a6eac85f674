/** No body with a recording makes a model that hears fail or hang: random ones, different in each run. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { hearingModel } from '../testing/gguf/hearing-models.ts'
import { writeModel } from '../testing/gguf/model-file.ts'
import { mutatedJson } from '../testing/mutated-json.ts'
import { recording } from '../testing/recording.ts'
import { tone } from '../testing/sounds.ts'
import { startTestServer, type TestServer } from '../testing/test-server.ts'

const cases = 50
const limitMs = 60_000
const folder = mkdtempSync(join(tmpdir(), 'inferd-random-sounds-'))
let server: TestServer

beforeAll(async () => {
  const { model, projector } = hearingModel('ultravox')
  const filePaths = { model: join(folder, 'model.gguf'), mmproj: join(folder, 'mmproj.gguf') }
  await writeModel(model, filePaths.model)
  await writeModel(projector, filePaths.mmproj)
  const manifest = { type: 'chat', engine: 'llama', capabilities: { audio: true } } as const
  server = startTestServer({ models: { 'test/hears': { manifest, filePaths } }, engine: { contextTokens: 512 } })
}, limitMs)

afterAll(async () => {
  await server[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

const whole = recording(0.2, new Uint8Array(tone(400, 0.2).buffer))

/** Bytes of a recording, whole, cut or changed, as base64. */
const data = fc.oneof(
  fc.constant(whole),
  fc.nat(whole.length).map((end) => whole.subarray(0, end)),
  fc.tuple(fc.nat(60), fc.nat(255)).map(([at, byte]) => {
    const changed = Buffer.from(whole)
    changed[at] = byte
    return changed
  }),
  fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
)

const part = data.map((bytes) => {
  const base64 = bytes.toString('base64')
  return { type: 'input_audio', input_audio: { data: base64, format: 'wav' } }
})

const bodies = {
  '/v1/chat/completions': part.map((each) => ({
    ...{ model: 'test/hears', max_tokens: 1 },
    messages: [{ role: 'user', content: [each, { type: 'text', text: 'So?' }] }],
  })),
  '/v1/responses': part.map((each) => ({
    ...{ model: 'test/hears', max_output_tokens: 16 },
    input: [{ role: 'user', content: [{ type: 'input_text', text: 'So?' }, each] }],
  })),
}

test.each(Object.entries(bodies))(
  'no recording makes %s fail or hang',
  async (path, body) => {
    const statuses = new Map<number, number>()
    const mutated = fc.oneof(
      body,
      body.chain((each) => mutatedJson([each])),
    )
    await fc.assert(
      fc.asyncProperty(mutated, async (each) => {
        const text = typeof each === 'string' ? each : JSON.stringify(each)
        const response = await server.post(path, text)
        const answer = await response.text()
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
        expect([200, 400, 404, 413]).toContain(response.status)
        if (response.status !== 200) expect(JSON.parse(answer)).toHaveProperty('error.code')
      }),
      { numRuns: cases, includeErrorInReport: true },
    )
    expect(statuses.get(200) ?? 0).toBeGreaterThan(0)
    expect(statuses.get(400) ?? 0).toBeGreaterThan(0)
    await server.drained()
    expect(server.spooled()).toEqual([])
    for (const status of server.pool.status()) expect(status).toMatchObject({ lastExit: undefined, running: 0 })
  },
  limitMs,
)
