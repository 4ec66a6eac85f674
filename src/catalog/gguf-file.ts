import { readSync } from 'node:fs'
import { hears, type ModelManifest, sees } from '../core/model.ts'
import { type GgufHeader, type GgufProjector, parseGgufHeader, projectorArchitecture } from './gguf-header.ts'
import { FileError, readRegularFile, statFile, unreadable } from './stat-file.ts'

interface CachedCheck {
  readonly sizeBytes: number
  /** Time of the last change of content or permissions. */
  readonly changedMs: number
  readonly outcome: GgufHeader | FileError
}

const partPattern = /-(\d{5})-of-(\d{5})\.gguf$/

const partLimit = 1000

/**
 * Returns the paths of all parts of a split model, given its first; only the path itself if it is not split. Throws
 * FileError if the name is that of a later part.
 */
export function ggufParts(path: string): string[] {
  const match = partPattern.exec(path)
  if (match === null) return [path]
  const [, number, count = ''] = match
  if (Number(number) !== 1) throw new FileError(`is part ${Number(number)} of a split model; name part 1`)
  if (Number(count) < 1 || Number(count) > partLimit)
    throw new FileError(`is named as one of ${Number(count)} parts; a split model has 1 to ${partLimit}`)
  return Array.from({ length: Number(count) }, (_, index) =>
    path.replace(partPattern, `-${String(index + 1).padStart(5, '0')}-of-${count}.gguf`),
  )
}

/** Returns the first part of the split model that the path belongs to; the path itself if it is not split. */
export function firstGgufPart(path: string): string {
  return path.replace(partPattern, '-00001-of-$2.gguf')
}

/** Returns whether a path names a later part of a split model. */
export function isLaterGgufPart(path: string): boolean {
  const [, number] = partPattern.exec(path) ?? []
  return number !== undefined && Number(number) !== 1
}

/** llama.cpp's names of models that turn text into a vector instead of continuing it. */
const encoderArchitectures = new RegExp(`bert|^t5encoder$|^${projectorArchitecture}$`)
const architecturePattern = /^[\w.-]{1,64}$/

/** Checks GGUF files. Each result is cached while the file keeps its size and time. */
export class GgufFiles {
  readonly #checks = new Map<string, CachedCheck>()

  /**
   * Returns the header of a model's first file once all parts exist and are complete. Throws FileError with a reason
   * that completes "<file> …" or names the part.
   */
  check(path: string): GgufHeader {
    const [first, ...rest] = this.#checkParts(path)
    if (first === undefined) throw new FileError('is part 1 of 0')
    if (first.splitCount !== rest.length + 1) {
      throw new FileError(`is 1 of ${first.splitCount} files, but its name says ${rest.length + 1}`)
    }
    if (first.architecture === undefined || !architecturePattern.test(first.architecture))
      throw new FileError('does not name its architecture')
    const sum = (of: (header: GgufHeader) => number) => rest.reduce((total, part) => total + of(part), of(first))
    const tensorCount = sum((header) => header.tensorCount)
    if (tensorCount === 0) throw new FileError('holds no weights, only a vocabulary')
    return { ...first, tensorCount, parameterCount: sum((header) => header.parameterCount) }
  }

  /** Returns the cached header of a model's first file; undefined if it was not checked or is invalid. */
  known(path: string): GgufHeader | undefined {
    const outcome = this.#checks.get(path)?.outcome
    return outcome instanceof FileError ? undefined : outcome
  }

  /** Returns the header of a chat model. Throws FileError as `check` does. Imports and the server share this check. */
  checkChatModel(path: string): GgufHeader {
    const header = this.check(path)
    if (!encoderArchitectures.test(header.architecture ?? '')) return header
    throw new FileError(`is no chat model (architecture "${header.architecture}"): this version serves only those`)
  }

  /**
   * Returns the header of a projector, which must see for a model of type vision, and hear for one that hears. Throws
   * FileError as `check` does. Imports, pulls and the server share this check.
   */
  checkProjector(
    path: string,
    model?: Pick<ModelManifest, 'type' | 'capabilities' | 'upstream'>,
  ): GgufHeader & { readonly projector: GgufProjector } {
    const header = this.check(path)
    const { architecture, projector } = header
    if (projector === undefined) throw new FileError(`is no projector (architecture "${architecture}")`)
    if (!projector.seesImages && !projector.hears) throw new FileError('is no projector of pictures or sound')
    if (model !== undefined && sees(model) && !projector.seesImages)
      throw new FileError('is a projector for sound: it sees no pictures, so the type of its model is "chat"')
    if (model !== undefined && hears(model) && !projector.hears)
      throw new FileError('is a projector for pictures: leave "audio" out of [capabilities]')
    return { ...header, projector }
  }

  #checkParts(path: string): GgufHeader[] {
    const parts = ggufParts(path)
    return parts.map((part, index) => {
      try {
        return this.#checkFile(part)
      } catch (error) {
        if (index === 0 || !(error instanceof FileError)) throw error
        throw new FileError(`cannot be used: its part ${index + 1} of ${parts.length} ${error.message}`)
      }
    })
  }

  #checkFile(path: string): GgufHeader {
    const found = statFile(path)
    if (found instanceof FileError) throw found
    if (found === undefined) throw new FileError('is missing')
    if (!found.isFile()) throw new FileError('is not a file')
    const cached = this.#checks.get(path)
    const isCurrent = cached?.sizeBytes === found.size && cached.changedMs === found.ctimeMs
    const outcome = isCurrent ? cached.outcome : readHeader(path)
    this.#checks.set(path, { sizeBytes: found.size, changedMs: found.ctimeMs, outcome })
    if (outcome instanceof FileError) throw outcome
    return outcome
  }
}

function readHeader(path: string): GgufHeader | FileError {
  try {
    return readGgufHeader(path)
  } catch (error) {
    return error instanceof FileError ? error : unreadable(error)
  }
}

/** Returns the header of one file of any name or part. Throws FileError. */
export function readGgufHeader(path: string): GgufHeader {
  return readRegularFile(path, (descriptor, { size }) =>
    parseGgufHeader({ sizeBytes: size, read: (offset, length) => readBytes(descriptor, offset, length) }),
  )
}

function readBytes(descriptor: number, offset: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let filled = 0
  while (filled < length) {
    const count = readSync(descriptor, bytes, filled, length - filled, offset + filled)
    if (count === 0) throw new FileError('became shorter while it was read')
    filled += count
  }
  return bytes
}
