import { within } from '../../core/within.ts'
import { WorkerThread } from '../../core/worker-thread.ts'
import { Unreadable } from '../unreadable.ts'
import type { Canvas } from './to-ppm.ts'
import type { FromWebpDecoder, ToWebpDecoder } from './webp-worker.ts'

/** Time limit. The largest picture takes a few seconds on a slow machine. */
const limitMs = 60_000

export type DecodeWebp = typeof decodeWebp

/**
 * Returns a WebP file's picture as a PPM file over white, or the first frame of an animation. Decodes in a new thread,
 * which also ends when the signal aborts. `bytes` are moved to that thread, and are empty afterwards. Throws
 * Unreadable, the signal's reason, and Error if the thread fails.
 */
export async function decodeWebp(
  bytes: Uint8Array<ArrayBuffer>,
  { width, height, signal }: Canvas & { readonly signal: AbortSignal },
): Promise<Uint8Array<ArrayBuffer>> {
  signal.throwIfAborted()
  using thread = new WorkerThread<ToWebpDecoder, FromWebpDecoder>({
    program: 'images/webp/webp-worker.ts',
    name: 'the thread that decodes WebP',
  })
  const asked = thread.ask({ bytes, canvas: { width, height } }, { transfer: [bytes.buffer], signal })
  const decoded = await within(asked, limitMs, () => {
    throw new Unreadable('decoding takes too long')
  })
  if (decoded.type === 'decoded') return decoded.ppm
  if (decoded.type === 'unreadable') throw new Unreadable(decoded.reason)
  throw new Unreadable('the decoder failed', { cause: decoded.message })
}
