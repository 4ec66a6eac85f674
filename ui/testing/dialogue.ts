/** Dialogue of two people, spoken by the server's own starter voices. */
import { wavHeader } from '../../src/core/wav-header.ts'
import type { Inferd } from './inferd.ts'

/** Turns of the dialogue, in two voices that the starter models tell apart */
const turns = [
  ['echo', 'Good morning. The train leaves at nine.'],
  ['coral', 'Please open the window. It is warm in here.'],
  ['echo', 'I will do that. Do you have the tickets?'],
  ['coral', 'Yes. They are in my bag.'],
] as const

/** Bytes of half a second of 16-bit samples at 24 kHz */
const pauseBytes = 24_000

/** Returns the dialogue as a WAV file of some 12 s. */
export async function spokenDialogue(inferd: Inferd): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for (const [voice, input] of turns) {
    const response = await fetch(`${inferd.url}/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${inferd.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'inferd/starter-tts', voice, input, response_format: 'pcm' }),
    })
    if (!response.ok) throw new Error(`no speech: ${await response.text()}`)
    parts.push(await response.bytes(), new Uint8Array(pauseBytes))
  }
  const samples = Buffer.concat(parts)
  return Buffer.concat([wavHeader(samples.length), samples])
}
