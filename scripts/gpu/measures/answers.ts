import { recording as wavOf } from '../../../src/testing/recording.ts'
import { highVoice, lowVoice, syntheticDialogue } from '../../../src/testing/synthetic-voices.ts'
import { ask, type Client, hear, rerank, see, speak } from '../../smoke/client.ts'
import { asset, clientOf, engineRows, type Kit, startServer } from '../kit.ts'
import type { Note, Scope } from '../parts.ts'

const sentence = 'The meeting begins at nine, and the minutes are sent in the evening.'
/** Least cosine of the same text's vectors on two devices, which differ only by rounding. */
const leastCosine = 0.999

/** Sends the same requests to the starter models on the CPU and on the device, and notes where the answers differ. */
export async function compareAnswers(kit: Kit, note: Note, scope: Scope): Promise<void> {
  const [reference, tried] = await Promise.all(
    ['cpu', kit.device].map((device) => startServer(kit, scope, ['--device', device])),
  )
  if (reference === undefined || tried === undefined) throw new Error('two devices: this is a bug')
  const clients = [clientOf(reference), clientOf(tried)] as const
  const picture = await Bun.file(asset(kit, 'picture.webp')).bytes()
  const recording = await speak(clients[0], sentence)

  const texts: Record<string, (client: Client) => Promise<string>> = {
    text: (client) => ask(client),
    picture: (client) => see(client, picture),
    ranking: async (client) => `document ${await rerank(client)}`,
    transcription: async (client) => (await hear(client, recording)).text,
    diarization: speakers,
    speech: async (client) => (await hear(clients[0], await speak(client, sentence))).text,
  }
  for (const [what, of] of Object.entries(texts)) {
    await noteFailure(what, note, async () => {
      const [expected, got] = [await of(clients[0]), await of(clients[1])]
      const isSame = expected === got
      note(what, isSame ? `same: ${got}` : `CPU: ${expected}; ${kit.device}: ${got}`, !isSame)
    })
  }
  await noteFailure('embeddings', note, async () => {
    const likeness = cosine(await vector(clients[0]), await vector(clients[1]))
    note('embeddings', `cosine ${likeness.toFixed(6)}`, !(likeness >= leastCosine))
  })
  for (const { model, device } of await engineRows(kit, tried)) note('device', `${model}: ${device ?? 'not told'}`)
}

/** Returns the speakers of two voices in turns without words. */
async function speakers({ url, key }: Client): Promise<string> {
  const form = new FormData()
  form.append('model', 'inferd/starter-stt')
  form.append('diarize', 'true')
  form.append('file', dialogue(), 'dialogue.wav')
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(`${url}/v1/audio/transcriptions`, { method: 'POST', headers, body: form })
  if (!response.ok) throw new Error(`audio/transcriptions answered ${response.status}: ${await response.text()}`)
  const { speakers: found } = (await response.json()) as { speakers?: readonly string[] }
  return JSON.stringify(found)
}

/**
 * Returns two clearly different voices in turns. Rounding decides whether one synthetic voice counts as one speaker or
 * two.
 */
function dialogue(): Blob {
  const { samples } = syntheticDialogue([
    [lowVoice, 5],
    [highVoice, 5],
    [lowVoice, 4],
    [highVoice, 4],
  ])
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
  return new Blob([wavOf(samples.length / 16_000, bytes)])
}

async function noteFailure(what: string, note: Note, run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    note(what, `${error instanceof Error ? error.message : error}`.replaceAll('\n', ' ').slice(0, 300), true)
  }
}

async function vector({ url, key }: Client): Promise<number[]> {
  const response = await fetch(`${url}/v1/embeddings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'inferd/starter-embed', input: sentence, encoding_format: 'float' }),
  })
  if (!response.ok) throw new Error(`embeddings answered ${response.status}: ${await response.text()}`)
  const { data } = (await response.json()) as { data: { embedding: number[] }[] }
  return data[0]?.embedding ?? []
}

function cosine(first: readonly number[], second: readonly number[]): number {
  const dot = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0)
  return dot(first, second) / Math.sqrt(dot(first, first) * dot(second, second))
}
