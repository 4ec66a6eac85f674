import { readSync } from 'node:fs'
import { basename } from 'node:path'
import { firstGgufPart, GgufFiles, ggufParts, isLaterGgufPart } from '../../catalog/gguf-file.ts'
import type { GgufHeader, GgufProjector } from '../../catalog/gguf-header.ts'
import { maximumContextLength } from '../../catalog/manifest-schema.ts'
import { FileError, readRegularFile } from '../../catalog/stat-file.ts'
import { fileNameProblem } from '../../core/file-name.ts'
import { type Detect, type FoundFile, ImportError, readingFile, type Source, type SourceFile } from './found-model.ts'

/** Detects a chat model in a GGUF file or its parts, with companion files. Files are judged by their content. */
export const detectGguf: Detect = (source, { mmproj, mtp }) => {
  const { named } = source
  if (named === undefined ? !source.files.some(isGguf) : !isGguf(named)) return undefined
  const gguf = new GgufFiles()
  const path = firstGgufPart(named?.path ?? onlyModel(source, gguf).path)
  const header = readingFile({ path }, () => gguf.checkChatModel(path))
  const beside = mmproj === undefined ? projectorBeside(source, header, gguf) : undefined
  const added = [
    ...projectorOf(header, mmproj ?? (named === undefined ? beside : undefined), gguf),
    ...draftHead(mtp, gguf),
  ]
  const offered = named === undefined ? undefined : beside
  const mmprojPath = added.find(({ role }) => role === 'mmproj')?.path
  const projector = mmprojPath === undefined ? undefined : headerOf(mmprojPath, gguf)?.projector
  return {
    description: descriptionOf(header),
    manifest: {
      type: projector?.seesImages === true ? 'vision' : 'chat',
      engine: 'llama',
      ...(projector?.hears === true && { capabilities: { audio: true } }),
      license: header.license?.includes(' ') ? undefined : header.license,
      contextLength: contextLengthOf(header),
    },
    files: withOwnNames([...ggufParts(path).map((part) => ({ role: 'model', path: part })), ...added]),
    notes: [
      ...(header.hasChatTemplate ? [] : ['the file has no chat template, so chat answers may be poor']),
      ...(offered === undefined
        ? []
        : [`${offered} beside it makes the model see or hear: add it with --mmproj ${offered}`]),
    ],
    facts: {
      architecture: header.architecture ?? null,
      context: header.contextLength ?? null,
      parameters: header.parameterCount,
      vocabulary: header.vocabularySize ?? null,
      chatTemplate: header.hasChatTemplate,
    },
  }
}

/** Returns the only model of a folder. */
function onlyModel({ given, files }: Source, gguf: GgufFiles): SourceFile {
  const models = files
    .filter((file) => isGguf(file) && !isLaterGgufPart(file.path))
    .filter(({ path }) => headerOf(path, gguf)?.projector === undefined && !/(^|\/)mtp-[^/]*$/i.test(path))
  const [model, ...others] = models
  if (model === undefined) throw new ImportError(`${given} holds no first part of a model`)
  if (others.length === 0) return model
  const names = models.slice(0, 5).map(({ name }) => name)
  throw new ImportError(`${given} holds ${models.length} models (${names.join(', ')}); name the file of one`)
}

/** Returns the projector among a model's files. If several fit, the operator chooses. */
function projectorBeside({ files }: Source, model: GgufHeader, gguf: GgufFiles): string | undefined {
  const candidates = files.filter(
    (file) => /mmproj/i.test(basename(file.name)) && isGguf(file) && fits(headerOf(file.path, gguf), model),
  )
  return candidates.length === 1 ? candidates[0]?.path : undefined
}

/**
 * Returns whether the projector has the model's width, or its name if the width is unknown, and contradicts none of its
 * other names.
 */
function fits(header: GgufHeader | undefined, model: GgufHeader): boolean {
  if (header?.projector === undefined || !isAsWide(header.projector, model)) return false
  const isOther = (fact: 'name' | 'baseName' | 'sizeLabel') =>
    header[fact] !== undefined && model[fact] !== undefined && header[fact] !== model[fact]
  if (isOther('baseName') || isOther('sizeLabel')) return false
  if (header.projector.modelEmbeddingLength !== undefined && model.embeddingLength !== undefined) return true
  const isSame = (fact: 'name' | 'baseName') => header[fact] !== undefined && header[fact] === model[fact]
  return !isOther('name') && (isSame('name') || isSame('baseName'))
}

function projectorOf(model: GgufHeader, path: string | undefined, gguf: GgufFiles): Unnamed[] {
  if (path === undefined) return []
  const { projector } = readingFile({ path }, () => gguf.checkProjector(path))
  if (isAsWide(projector, model)) return [{ role: 'mmproj', path }]
  throw new ImportError(
    `${path} was made for a model of width ${projector.modelEmbeddingLength}, and this one's is ${model.embeddingLength}: take the projector from where the model is from`,
  )
}

/** Returns whether the widths match. Unknown widths match any. */
function isAsWide({ modelEmbeddingLength: width }: GgufProjector, { embeddingLength }: GgufHeader): boolean {
  return width === undefined || embeddingLength === undefined || width === embeddingLength
}

function draftHead(path: string | undefined, gguf: GgufFiles): Unnamed[] {
  if (path === undefined) return []
  if (readingFile({ path }, () => gguf.check(path)).projector === undefined) return [{ role: 'mtp', path }]
  throw new ImportError(`${path} is no draft head: --mtp takes no such file`)
}

/** Returns the header; undefined for an unusable file, which may not be the right one anyway. */
function headerOf(path: string, gguf: GgufFiles): GgufHeader | undefined {
  try {
    return gguf.check(path)
  } catch (error) {
    if (error instanceof FileError) return undefined
    throw error
  }
}

type Unnamed = Omit<FoundFile, 'name'>

/** Returns the files with unique names: files of different roles may come from different folders. */
function withOwnNames(files: readonly Unnamed[]): FoundFile[] {
  const named = files.map((file) => ({ ...file, name: nameOf(file) }))
  const isTaken = (name: string) => named.filter((other) => other.name.toLowerCase() === name.toLowerCase()).length > 1
  return named.map((file) =>
    file.role !== 'model' && isTaken(file.name) ? { ...file, name: `${file.role}-${file.name}` } : file,
  )
}

/** Returns the file's own name if allowed, else its role and part number. */
function nameOf({ role, path }: Unnamed): string {
  const name = basename(path)
  const given = name.endsWith('.gguf') ? name : `${name}.gguf`
  if (fileNameProblem(given) === undefined) return given
  return `${role}${/-\d{5}-of-\d{5}\.gguf$/.exec(name)?.[0] ?? '.gguf'}`
}

function isGguf({ path, bytes, problem }: SourceFile): boolean {
  if (bytes < 4 || problem !== undefined) return false
  try {
    return readRegularFile(path, (descriptor) => {
      const magic = Buffer.alloc(4)
      return readSync(descriptor, magic, 0, 4, 0) === 4 && magic.toString('latin1') === 'GGUF'
    })
  } catch {
    return false // not readable: if the file is needed, its check reports that
  }
}

function descriptionOf({ architecture, parameterCount }: GgufHeader): string {
  const millions = (parameterCount / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })
  return `${architecture}, ${millions} million parameters`
}

/** Returns the context length within the limits of a manifest: a file may claim anything. */
function contextLengthOf({ contextLength }: GgufHeader): number | undefined {
  if (contextLength === undefined || !Number.isInteger(contextLength)) return undefined
  return Math.min(contextLength, maximumContextLength)
}
