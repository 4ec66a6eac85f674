import { type Client, hear } from '../../smoke/client.ts'
import { clientOf, type Kit, startServer } from '../kit.ts'
import type { Note, Scope } from '../parts.ts'

const sentence = 'The meeting begins at nine, and the minutes are sent in the evening. '
const sentences = 12
const bytesPerSecond = 24_000 * 2
const loads = [1, 8] as const

/**
 * Notes the speed of transcription with and without speakers, on the CPU and on the device, as a multiple of the
 * recordings' length.
 */
export async function measureSpeakers(kit: Kit, note: Note, scope: Scope): Promise<void> {
  for (const device of [...new Set(['cpu', kit.device])]) {
    const server = await startServer(kit, scope, ['--device', device])
    const client = clientOf(server)
    const recording = await speakUncompressed(client, sentence.repeat(sentences))
    const seconds = recording.size / bytesPerSecond
    await hear(client, recording, { diarize: 'true' }) // loads the models
    for (const together of loads) {
      for (const [what, fields] of [
        ['without speakers', {}],
        ['with speakers', { diarize: 'true' }],
      ] as const) {
        const beginMs = performance.now()
        await Promise.all(Array.from({ length: together }, () => hear(client, recording, fields)))
        const tookSeconds = (performance.now() - beginMs) / 1000
        const speed = ((together * seconds) / tookSeconds).toFixed(0)
        note(
          `${device}, ${together} at once, ${what}`,
          `${speed} times the speed of speech (${tookSeconds.toFixed(2)} s)`,
        )
      }
    }
    await server.stop()
  }
}

async function speakUncompressed({ url, key }: Client, input: string): Promise<Blob> {
  const spoken = await fetch(`${url}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'inferd/starter-tts', input, voice: 'nova', response_format: 'wav' }),
  })
  if (!spoken.ok) throw new Error(`audio/speech answered ${spoken.status}: ${await spoken.text()}`)
  return spoken.blob()
}
