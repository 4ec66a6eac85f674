/** The starter models behind a box: its answers equal those of the box behind it. Real engines. */
import { afterAll, expect, test } from 'bun:test'
import { wavHeader } from '../../../core/wav-header.ts'
import { spokenSamples } from '../../../testing/spoken.ts'
import { starterSpeechModel } from '../../../testing/starter-speech.ts'
import { starterTextModel } from '../../../testing/starter-text-models.ts'
import { startTestServer, type TestServer } from '../../../testing/test-server.ts'
import { servedBy } from '../../../testing/upstream/upstream-host.ts'

const models = [
  starterTextModel('embedding'),
  starterTextModel('rerank'),
  starterSpeechModel('stt'),
  starterSpeechModel('tts'),
]
const back = startTestServer({
  models: Object.fromEntries(models.map((model) => [model.manifest.id, model])),
  engine: { threads: 2 },
})
const front = startTestServer({
  models: Object.fromEntries(
    models.map(({ manifest: { id, type, capabilities, dimensions, synthesizer } }) => [
      id,
      servedBy('inferd', [{ url: back.baseUrl }], {
        ...{ type, capabilities, dimensions, synthesizer },
        upstream: { model: id },
      }),
    ]),
  ),
  upstream: { readKey: async () => back.keys.valid },
})
afterAll(async () => {
  await front[Symbol.asyncDispose]()
  await back[Symbol.asyncDispose]()
})

async function answer({ baseUrl, keys }: TestServer, path: string, body: object) {
  const isForm = body instanceof FormData
  const response = await fetch(baseUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys.valid}`, ...(!isForm && { 'content-type': 'application/json' }) },
    body: isForm ? body : JSON.stringify(body),
  })
  expect(response.status).toBe(200)
  return response
}

async function same(path: string, body: () => object) {
  const [own, behind] = [await answer(back, path, body()), await answer(front, path, body())]
  const read = async (response: Response) => {
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json')
    return isJson ? { ...JSON.parse(text), id: '' } : text
  }
  const expected = await read(own)
  expect(await read(behind)).toEqual(expected)
  return expected
}

test('vectors', async () => {
  const input = ['How do I reset my password?', 'The bread is baked for forty minutes.']
  const { data, usage } = await same('/embeddings', () => ({ model: 'inferd/starter-embed', input }))
  expect(data).toHaveLength(2)
  expect(usage.prompt_tokens).toBeGreaterThan(10)
})

test('scores', async () => {
  const documents = ['Bake it for forty minutes.', 'Choose “Forgot password” on the page.', 'x']
  const query = 'How do I reset my password?'
  const { results } = await same('/rerank', () => ({ model: 'inferd/starter-rerank', query, documents }))
  expect(results).toHaveLength(3)
})

/** One voice, then the same voice a third higher. */
function dialogue(): File {
  const low = spokenSamples()
  const high = Int16Array.from({ length: Math.floor(low.length / 1.33) }, (_, at) => low[Math.floor(at * 1.33)] ?? 0)
  const data = Buffer.concat([low, high, low].map((part) => Buffer.from(part.buffer)))
  return new File([wavHeader(data.length, 16_000), data], 'dialogue.wav')
}

test.each<[form: string, fields: readonly (readonly [string, string])[]]>([
  ['text', []],
  [
    'segments and words',
    [
      ['timestamp_granularities[]', 'segment'],
      ['timestamp_granularities[]', 'word'],
    ],
  ],
  [
    'speakers',
    [
      ['diarize', 'true'],
      ['min_speakers', '2'],
    ],
  ],
  [
    'subtitles with speakers',
    [
      ['diarize', 'true'],
      ['min_speakers', '2'],
      ['response_format', 'srt'],
    ],
  ],
])('a transcript as %s', async (_, fields) => {
  const body = () => {
    const form = new FormData()
    form.set('model', 'inferd/starter-stt')
    form.set('response_format', 'verbose_json')
    for (const [name, value] of fields) name === 'response_format' ? form.set(name, value) : form.append(name, value)
    form.set('file', dialogue())
    return form
  }
  const heard = await same('/audio/transcriptions', body)
  expect(JSON.stringify(heard).length).toBeGreaterThan(100)
})

test.each(['mp3', 'wav', 'pcm'])('speech as %s', async (response_format) => {
  const body = { model: 'inferd/starter-tts', voice: 'alloy', input: 'The train leaves at nine.', response_format }
  const [own, again, behind] = await Promise.all(
    [back, back, front].map(async (server) =>
      Buffer.from(await (await answer(server, '/audio/speech', body)).arrayBuffer()),
    ),
  )
  expect(own?.equals(again ?? Buffer.alloc(0))).toBe(true)
  expect(behind?.equals(own ?? Buffer.alloc(0))).toBe(true)
})
