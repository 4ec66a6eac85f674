import type { TimedWord } from './timed-words.ts'
import type { LabelledTurn } from './turns.ts'

/** Server that transcribes and speaks, and its models. */
export interface SpeechServer {
  /** With /v1. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly transcriber: string
  readonly synthesizer: string
}

export interface Transcript {
  readonly text: string
  /** Words with times. Without labels of speakers, the speaker of each is ''. */
  readonly words: readonly TimedWord[]
  /** Segments: speakers' turns if labels are requested, else the model's segments. */
  readonly segments: readonly LabelledTurn[]
  readonly lengthSeconds: number
  /** Time from the request to the end of its answer. */
  readonly ms: number
}

interface Timed {
  readonly start: number
  readonly end: number
  readonly speaker?: string
}

/** Used part of a verbose answer. */
interface VerboseAnswer {
  readonly text: string
  readonly duration: number
  readonly words?: readonly (Timed & { readonly word: string })[]
  readonly segments?: readonly Timed[]
}

/** Transcribes an audio file with the times of words. Throws if the answer is not 200. */
export async function transcribe(
  server: SpeechServer,
  file: Uint8Array<ArrayBuffer>,
  { diarize = false }: { readonly diarize?: boolean } = {},
): Promise<Transcript> {
  const form = new FormData()
  form.append('model', server.transcriber)
  form.append('response_format', 'verbose_json')
  form.append('timestamp_granularities[]', 'word')
  form.append('timestamp_granularities[]', 'segment')
  form.append('diarize', String(diarize))
  form.append('file', new Blob([file]), 'audio.wav')
  const { answer, ms } = await post(server, 'transcriptions', form)
  const { text, duration, words = [], segments = [] } = JSON.parse(new TextDecoder().decode(answer)) as VerboseAnswer
  return {
    ...{ text, ms, lengthSeconds: duration },
    words: words.map((word) => ({ text: word.word, ...turn(word) })),
    segments: segments.map(turn),
  }
}

function turn({ start, end, speaker = '' }: Timed): LabelledTurn {
  return { speaker, startSeconds: start, endSeconds: end }
}

/** Returns a spoken text as a WAV file. Throws if the answer is not 200. */
export async function speak(
  server: SpeechServer,
  input: string,
  voice: string,
): Promise<{ file: Uint8Array<ArrayBuffer>; ms: number }> {
  const body = JSON.stringify({ model: server.synthesizer, input, voice, response_format: 'wav' })
  const { answer, ms } = await post(server, 'speech', body)
  return { file: answer, ms }
}

async function post({ baseUrl, apiKey }: SpeechServer, route: string, body: FormData | string) {
  const headers = {
    authorization: `Bearer ${apiKey}`,
    ...(typeof body === 'string' && { 'content-type': 'application/json' }),
  }
  const beginMs = performance.now()
  const response = await fetch(`${baseUrl}/audio/${route}`, { method: 'POST', headers, body })
  const answer = new Uint8Array(await response.arrayBuffer())
  const ms = performance.now() - beginMs
  if (response.status !== 200) throw new Error(`${route}: ${response.status} ${new TextDecoder().decode(answer)}`)
  return { answer, ms }
}
