import { errorText } from '../../core/error-text.ts'
import { WorkerThread } from '../../core/worker-thread.ts'
import type { Container, IdentifiedAudio } from '../container/identify-audio.ts'
import { invalidAudio } from '../invalid-audio.ts'
import type { FromDecoder, ToDecoder } from './decode-worker.ts'

/** Demuxers of the built-in library. Other containers need `ffmpeg`. */
const demuxers: Partial<Readonly<Record<Container, string>>> = {
  wav: 'wav',
  mp3: 'mp3',
  ogg: 'ogg',
  flac: 'flac',
  webm: 'matroska',
}

const installFfmpeg =
  'Send it as wav, mp3, ogg, flac or webm, or have ffmpeg installed on the server (apt-get install ffmpeg).'

/**
 * Decodes a file without other programs, in a thread that ends when the signal aborts or the caller stops early. Throws
 * `invalid_audio` if nothing of the file can be decoded.
 */
export async function* decodeBuiltIn(
  { path, container, startByte }: IdentifiedAudio & { readonly path: string },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted()
  const demuxer = demuxers[container]
  if (demuxer === undefined)
    throw invalidAudio(`${container} files need ffmpeg, which this server does not have`, installFfmpeg)
  using thread = new WorkerThread<ToDecoder, FromDecoder>({
    program: 'audio/built-in/decode-worker.ts',
    name: 'the thread that decodes',
  })
  for (;;) {
    const next = await thread.ask({ path, demuxer, startByte }, { signal }).catch((error: unknown): FromDecoder => {
      signal.throwIfAborted()
      return { type: 'failed', message: errorText(error) }
    })
    signal.throwIfAborted()
    if (next.type === 'end') return
    if (next.type === 'undecodable') throw invalidAudio(next.reason, next.needsFfmpeg ? installFfmpeg : undefined)
    if (next.type === 'failed') throw invalidAudio('the decoder failed', undefined, next.message)
    yield next.piece
  }
}
