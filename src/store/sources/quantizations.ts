/** Models among the files of a repository: one for each quantization, with all parts of a split one. Pure. */
import type { HubFile } from './hub.ts'
import { isCompanion, partEnding } from './hub-model.ts'

export interface Quantization {
  /** Name such as `Q4_K_M`, or the file's name if it has none. */
  readonly name: string
  /** Path of the file, of the first part if split. */
  readonly path: string
  /** Bytes of all parts. Undefined if the hub does not tell. */
  readonly bytes: number | undefined
  readonly parts: number
}

/** Names of llama.cpp's formats, also with the prefix that marks a mix of them. */
const named =
  /(?:^|[/_.-])((?:UD-)?(?:I?Q\d(?:_(?:K|[SML]|XX?[SL]|NL|\d))*|TQ\d_\d|BF16|F16|F32|FP16|MXFP4(?:_MOE)?|NVFP4))(?=[/_.-]|$)/gi

/** Returns the models, the smallest first. Incomplete ones are left out: they cannot be loaded. */
export function quantizationsIn(files: readonly HubFile[]): Quantization[] {
  const models = files.filter(({ path }) => path.endsWith('.gguf') && !isCompanion(path))
  const byModel = Map.groupBy(models, ({ path }) => path.replace(partEnding, '-of-$2.gguf'))
  const found = [...byModel.values()].flatMap((parts): Quantization[] => {
    const sorted = parts.toSorted((left, right) => (left.path < right.path ? -1 : 1))
    const [first] = sorted
    const [, , total] = partEnding.exec(first?.path ?? '') ?? []
    if (first === undefined || (total !== undefined && Number(total) !== parts.length)) return []
    const bytes = parts.reduce<number | undefined>(
      (sum, part) => (sum === undefined || part.bytes === undefined ? undefined : sum + part.bytes),
      0,
    )
    return [{ name: quantizationName(first.path), path: first.path, bytes, parts: parts.length }]
  })
  return found.sort((left, right) => (left.bytes ?? 0) - (right.bytes ?? 0))
}

/** Returns the last name of a format in the path, in capitals; without one the file's name. */
export function quantizationName(path: string): string {
  const whole = path.replace(partEnding, '.gguf')
  const file = whole.slice(whole.lastIndexOf('/') + 1).replace(/\.gguf$/, '')
  return lastFormat(file) ?? lastFormat(whole.replace(/\.gguf$/, '')) ?? file
}

function lastFormat(text: string): string | undefined {
  return [...text.matchAll(named)].at(-1)?.[1]?.toUpperCase()
}

/** Returns the bits of a weight in a named format, about; undefined for an unknown one. */
export function weightBits(name: string): number | undefined {
  const digits = /(?:Q|FP?|BF)(\d+)/.exec(name)?.[1]
  return digits === undefined ? undefined : Number(digits)
}
