import type { Container, IdentifiedAudio } from '../container/identify-audio.ts'
import { invalidAudio } from '../invalid-audio.ts'
import type { FromDecoder, ToDecoder } from './decode-worker.ts'

/** Demuxers of the library. It has none for the other containers. */
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
 * Decodes a file without other programs, in a thread that ends when the signal aborts or the reader leaves. Throws
 * `invalid_audio` where it gets nothing out of the file.
 */
export async function* decodeBuiltIn(
  { path, container, startByte }: IdentifiedAudio & { readonly path: string },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted()
  const demuxer = demuxers[container]
  if (demuxer === undefined)
    throw invalidAudio(`${container} files need ffmpeg, which this server does not have`, installFfmpeg)
  const worker = new Worker(programUrl())
  let answer = Promise.withResolvers<FromDecoder>()
  const fail = (message: string) => answer.resolve({ type: 'failed', message })
  const abort = () => fail('it is no longer wanted')
  worker.onmessage = ({ data }: MessageEvent<FromDecoder>) => answer.resolve(data)
  worker.onerror = ({ message }) => fail(message)
  worker.addEventListener('close', () => fail('the thread has ended'))
  signal.addEventListener('abort', abort)
  try {
    for (;;) {
      worker.postMessage({ path, demuxer, startByte } satisfies ToDecoder)
      const next = await answer.promise
      signal.throwIfAborted()
      if (next.type === 'end') return
      if (next.type === 'undecodable') throw invalidAudio(next.reason, next.needsFfmpeg ? installFfmpeg : undefined)
      if (next.type === 'failed') throw invalidAudio('the decoder failed', undefined, next.message)
      answer = Promise.withResolvers()
      yield next.piece
    }
  } finally {
    signal.removeEventListener('abort', abort)
    worker.terminate()
  }
}

function programUrl(): string {
  const isEmbedded = import.meta.url.startsWith('file:///$bunfs/')
  return isEmbedded ? './audio/built-in/decode-worker.ts' : new URL('./decode-worker.ts', import.meta.url).href
}
