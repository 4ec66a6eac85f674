import { unreachable } from '../../core/unreachable.ts'
import { readGguf } from './read-gguf.ts'

export const ggufDamages = [
  'empty',
  'wrong-magic',
  'wrong-version',
  'cut-in-magic',
  'cut-in-metadata',
  'cut-in-tensor-table',
  'cut-in-data',
  'absurd-tensor-count',
  'absurd-metadata-count',
  'absurd-key-length',
  'absurd-dimension',
  'offset-past-end',
] as const

export type GgufDamage = (typeof ggufDamages)[number]

const absurd = 2n ** 60n

/** Returns a copy of a sound GGUF file with one fault. */
export function damageGguf(sound: Uint8Array, damage: GgufDamage): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(sound)
  const view = new DataView(bytes.buffer)
  const lastTensor = readGguf(sound).tensors.at(-1)
  if (lastTensor === undefined) throw new Error('a file without tensors cannot be damaged')
  switch (damage) {
    case 'empty':
      return bytes.slice(0, 0)
    case 'wrong-magic':
      bytes.set(new TextEncoder().encode('GGML'))
      return bytes
    case 'wrong-version':
      view.setUint32(4, 4_000_000_000, true)
      return bytes
    case 'cut-in-magic':
      return bytes.slice(0, 3)
    case 'cut-in-metadata':
      return bytes.slice(0, 100)
    case 'cut-in-tensor-table':
      return bytes.slice(0, lastTensor.offsetPosition)
    case 'cut-in-data':
      return bytes.slice(0, -4096)
    case 'absurd-tensor-count':
      view.setBigUint64(8, absurd, true)
      return bytes
    case 'absurd-metadata-count':
      view.setBigUint64(16, absurd, true)
      return bytes
    case 'absurd-key-length':
      view.setBigUint64(24, absurd, true)
      return bytes
    case 'absurd-dimension':
      view.setBigUint64(lastTensor.dimensionsPosition, absurd, true)
      return bytes
    case 'offset-past-end':
      view.setBigUint64(lastTensor.offsetPosition, BigInt(bytes.length + (32 - (bytes.length % 32))), true)
      return bytes
    default:
      return unreachable(damage)
  }
}
