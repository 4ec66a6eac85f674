/**
 * libwebp's decoder as WebAssembly, from the package `icodec`. Imported by its path, since the package itself would
 * look for its files beside the executable.
 */
import { readFileSync } from 'node:fs'
import createLibwebp from '../../../node_modules/icodec/dist/webp-dec.js'
import program from '../../../node_modules/icodec/dist/webp-dec.wasm' with { type: 'file' }

export interface DecodedPixels {
  readonly width: number
  readonly height: number
  /** Four bytes each: red, green, blue, alpha. */
  readonly data: Uint8ClampedArray
}

export interface Libwebp {
  /** Returns the pixels of a whole still file; null if it is damaged. */
  decode(file: Uint8Array): DecodedPixels | null
}

/** Name under which the library looks up the constructor of its results. */
const maker = '_icodec_ImageData'

export async function openLibwebp(): Promise<Libwebp> {
  const makePixels = (data: Uint8ClampedArray, width: number, height: number): DecodedPixels => ({
    data,
    width,
    height,
  })
  Object.assign(globalThis, { [maker]: makePixels })
  return await createLibwebp<Libwebp>({ wasmBinary: readFileSync(program) })
}
