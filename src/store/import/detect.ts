import { FileError, readRegularFile } from '../../catalog/stat-file.ts'
import {
  type Detect,
  type DetectOptions,
  type FoundModel,
  ImportError,
  readingFile,
  type Source,
} from './found-model.ts'
import { detectGguf } from './gguf-model.ts'
import { detectSherpa } from './sherpa-model.ts'
import { detectTextModel } from './text-model.ts'

/** Detectors of model kinds, in the order in which they are tried. */
const detectors: readonly Detect[] = [detectGguf, detectTextModel, detectSherpa]

/** Returns the kind of model that the files form. Throws ImportError if they form none, or an unusable one. */
export function detectModel(source: Source, options: DetectOptions): FoundModel {
  for (const detect of detectors) {
    const found = detect(source, options)
    if (found !== undefined) return withCompanions(found, source, options)
  }
  const { given, named, files } = source
  if (named !== undefined) requireReadable(given, named.path)
  const bad = files.find(({ problem }) => problem !== undefined)
  const hint = bad === undefined || named !== undefined ? '' : ` (${bad.name} ${bad.problem})`
  throw new ImportError(
    `${given} is not a model that inferd recognises${hint}: it must be a GGUF file, an ONNX folder with tokenizer.json or a sherpa-onnx folder; --manifest describes any other`,
  )
}

/** Throws ImportError for a named companion file that the model cannot use. */
function withCompanions(found: FoundModel, { given }: Source, options: DetectOptions): FoundModel {
  for (const role of ['mmproj', 'mtp'] as const) {
    if (options[role] === undefined || found.files.some((file) => file.role === role)) continue
    throw new ImportError(`--${role} goes with a GGUF file, and ${given} is none: leave it out`)
  }
  return found
}

function requireReadable(given: string, path: string): void {
  readingFile({ path: given }, () =>
    readRegularFile(path, (_, { size }) => {
      if (size === 0) throw new FileError('is empty (0 bytes)')
    }),
  )
}
