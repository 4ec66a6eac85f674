import { Unreadable } from '../unreadable.ts'
import type { Canvas } from './to-ppm.ts'
import type { FromWebpDecoder, ToWebpDecoder } from './webp-worker.ts'

/** Path of the thread's program inside the executable; `scripts/build.ts` names it as an entry. */
const embeddedProgram = './images/webp/webp-worker.ts'

/** The largest picture takes a few seconds on a slow machine. */
const limitMs = 60_000

export type DecodeWebp = typeof decodeWebp

/**
 * Returns a PPM file of a WebP file over white, for an animation of its first frame. A thread makes it, which ends with
 * it, or when the signal aborts. `bytes` are moved to that thread, and empty afterwards. Throws Unreadable, the
 * signal's reason, and Error if the thread cannot do its work.
 */
export async function decodeWebp(
  bytes: Uint8Array<ArrayBuffer>,
  { width, height, signal }: Canvas & { readonly signal: AbortSignal },
): Promise<Uint8Array<ArrayBuffer>> {
  signal.throwIfAborted()
  const { promise: answer, resolve, reject } = Promise.withResolvers<FromWebpDecoder>()
  const end = (reason: string) => reject(new Error(`the thread that decodes WebP has ended: ${reason}`))
  const abort = () => reject(signal.reason)
  const timer = setTimeout(() => reject(new Unreadable('decoding takes too long')), limitMs)
  const worker = new Worker(programUrl())
  worker.onmessage = ({ data }: MessageEvent<FromWebpDecoder>) => resolve(data)
  worker.onerror = ({ message }) => end(message)
  worker.addEventListener('close', () => end('closed'))
  signal.addEventListener('abort', abort)
  try {
    worker.postMessage({ bytes, canvas: { width, height } } satisfies ToWebpDecoder, [bytes.buffer])
    const decoded = await answer
    if (decoded.type === 'decoded') return decoded.ppm
    if (decoded.type === 'unreadable') throw new Unreadable(decoded.reason)
    throw new Unreadable('the decoder failed', { cause: decoded.message })
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
    worker.terminate()
  }
}

function programUrl(): string {
  const isEmbedded = import.meta.url.startsWith('file:///$bunfs/')
  return isEmbedded ? embeddedProgram : new URL('./webp-worker.ts', import.meta.url).href
}
