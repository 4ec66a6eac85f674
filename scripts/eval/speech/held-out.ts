import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What no training of the starter models hears. */
export interface HeldOut {
  /** In lower case, without punctuation. */
  readonly sentences: readonly string[]
  /** Variants of espeak-ng's voices, which go with any accent. */
  readonly variants: readonly string[]
}

/** Reads the lists that the training scripts keep. */
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
