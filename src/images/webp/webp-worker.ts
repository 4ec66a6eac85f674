/** Program of a thread that decodes one WebP file. */

import { errorText } from '../../core/error-text.ts'
import { Unreadable } from '../unreadable.ts'
import { firstFrame } from './first-frame.ts'
import { type DecodedPixels, openLibwebp } from './libwebp.ts'
import { type Canvas, toPpm } from './to-ppm.ts'

declare const self: Worker

export interface ToWebpDecoder {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly canvas: Canvas
}

export type FromWebpDecoder =
  | { readonly type: 'decoded'; readonly ppm: Uint8Array<ArrayBuffer> }
  | { readonly type: 'unreadable'; readonly reason: string }
  | { readonly type: 'failed'; readonly message: string }

self.onmessage = async ({ data }: MessageEvent<ToWebpDecoder>) => {
  try {
    const ppm = await decode(data)
    tell({ type: 'decoded', ppm }, [ppm.buffer])
  } catch (error) {
    if (error instanceof Unreadable) tell({ type: 'unreadable', reason: error.message })
    else tell({ type: 'failed', message: errorText(error) })
  }
}

async function decode({ bytes, canvas }: ToWebpDecoder): Promise<Uint8Array<ArrayBuffer>> {
  const libwebp = await openLibwebp()
  const { file, left, top } = firstFrame(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  const pixels: DecodedPixels | null = libwebp.decode(file)
  if (pixels === null) throw new Unreadable('its WebP is damaged or cut short')
  return toPpm({ width: pixels.width, height: pixels.height, left, top, rgba: pixels.data }, canvas)
}

function tell(message: FromWebpDecoder, transfer: ArrayBuffer[] = []): void {
  self.postMessage(message, transfer)
}
