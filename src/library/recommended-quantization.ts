/** Choice among the quantizations of a repository. Pure. */
import { weightBits } from '../store/sources/quantizations.ts'
import type { Fit } from './fit.ts'

interface Choice {
  /** Name of the quantization. */
  readonly name: string
  readonly bytes: number | undefined
  readonly fit: Fit | undefined
}

/** Beyond these bits a weight takes more memory and time, and answers hardly change. */
const mostBits = 8
/** Below these bits answers suffer. A smaller model of more bits is the better choice. */
const fewestBits = 3

/**
 * Returns the largest model of up to 8 bits that fits beside the loaded ones, or else alone, and
 * onto the disk. Undefined if none does: nothing is recommended then.
 */
export function recommendedIn<Model extends Choice>(
  models: readonly Model[],
  freeDiskBytes: number,
): Model | undefined {
  const usable = models.filter(({ name, bytes }) => {
    const bits = weightBits(name)
    const isUsual = bits !== undefined && bits >= fewestBits && bits <= mostBits
    return isUsual && bytes !== undefined && bytes <= freeDiskBytes
  })
  const largest = (verdict: Fit['verdict']) =>
    usable
      .filter(({ fit }) => fit?.verdict === verdict)
      .toSorted((left, right) => (left.bytes ?? 0) - (right.bytes ?? 0))
      .at(-1)
  return largest('fits') ?? largest('alone')
}
