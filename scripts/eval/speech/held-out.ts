import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Data that no training of the starter models uses. */
export interface HeldOut {
  /** Sentences in lower case, without punctuation. */
  readonly sentences: readonly string[]
  /** Variants of espeak-ng's voices, which fit any accent. */
  readonly variants: readonly string[]
}

/** Reads the lists, which the training scripts keep. */
export function readHeldOut(): HeldOut {
  const variants = readLines('held-out-voices.txt').map((line) => line.split(' '))
  return {
    sentences: readLines('held-out-sentences.txt'),
    variants: variants.flatMap(([kind, name = '']) => (kind === 'variant' ? [name] : [])),
  }
}

function readLines(file: string): string[] {
  const text = readFileSync(join(import.meta.dir, '../../starter/speech', file), 'utf8')
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}
