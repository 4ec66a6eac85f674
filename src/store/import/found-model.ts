/** A model as an import finds it in a file or a folder. */
import { FileError } from '../../catalog/stat-file.ts'
import type { ModelManifest, ModelType } from '../../core/model.ts'

/** Reason why a file was not imported, as a sentence. */
export class ImportError extends Error {
  override name = 'ImportError'
}

/** Returns the result of `read` on a source's file. Throws ImportError in place of FileError. */
export function readingFile<Result>(
  { path, problem }: Pick<SourceFile, 'path' | 'problem'>,
  read: () => Result,
): Result {
  try {
    if (problem !== undefined) throw new FileError(problem)
    return read()
  } catch (error) {
    throw error instanceof FileError ? new ImportError(`${path} ${error.message}`) : error
  }
}

export interface SourceFile {
  /** Path below the source's folder, with `/`. */
  readonly name: string
  /** Path on this disk by that name; may be a link. */
  readonly path: string
  readonly bytes: number
  /** Reason why it cannot be used, as the end of "<file> …"; other files may be fine. */
  readonly problem?: string | undefined
}

/** A folder, or a file and those beside it. */
export interface Source {
  /** Path in the operator's words. */
  readonly given: string
  readonly files: readonly SourceFile[]
  /** The named file. Undefined for a folder. */
  readonly named: SourceFile | undefined
}

export interface DetectOptions {
  /** Type of the model, if its files leave it open. */
  readonly type: ModelType | undefined
  /** A projector and a draft head that belong to a GGUF file, by their paths. */
  readonly mmproj: string | undefined
  readonly mtp: string | undefined
}

export interface FoundFile {
  readonly role: string
  /** Path below the model's folder. */
  readonly name: string
  /** Present path on this disk. */
  readonly path: string
  /** Name of the file's folder, if the role means the whole folder. */
  readonly folder?: string | undefined
  /** True if only loads on a GPU use the file. */
  readonly isForGpu?: boolean
}

export interface FoundModel {
  /** In a few words, e.g. `GGUF, qwen3, 596.0 million parameters`. */
  readonly description: string
  readonly manifest: Pick<ModelManifest, 'type' | 'engine'> &
    Partial<
      Pick<
        ModelManifest,
        'license' | 'contextLength' | 'dimensions' | 'capabilities' | 'encoder' | 'transcriber' | 'synthesizer'
      >
    >
  /** Files of the model; the first one of a role is opened. */
  readonly files: readonly FoundFile[]
  /** Hints for the operator. */
  readonly notes: readonly string[]
  readonly facts: Readonly<Record<string, string | number | boolean | null>>
}

/** Finds a model of one kind; undefined when there is none. Throws FileError or ImportError when there is one that is unusable. */
export type Detect = (source: Source, options: DetectOptions) => FoundModel | undefined
