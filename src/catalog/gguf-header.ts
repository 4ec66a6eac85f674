/**
 * Reads the header of a GGUF file and checks it against the file's size, so that native code never sees a file that is
 * cut short or lies about itself. Pure: bytes in, facts out. Reads keys and tensor descriptions, not the weights.
 */
import type { TemplateFacts } from '../core/model.ts'
import { printableLine } from '../core/printable.ts'
import { mayBeFillText, namesFillTokens } from './fill-tokens.ts'
import { type ByteSource, GgufCursor } from './gguf-cursor.ts'
import { tensorTypes } from './gguf-tensor-types.ts'
import { FileError } from './stat-file.ts'
import { readTemplate } from './template-facts.ts'

export interface GgufHeader {
  readonly version: number
  /** llama.cpp's name of the architecture, such as `qwen3`. Undefined in later parts of a split model. */
  readonly architecture: string | undefined
  readonly name: string | undefined
  /** Components of the name. A projector has its model's. */
  readonly baseName: string | undefined
  readonly sizeLabel: string | undefined
  readonly license: string | undefined
  /** Longest text the model was made for, in tokens. */
  readonly contextLength: number | undefined
  readonly embeddingLength: number | undefined
  readonly vocabularySize: number | undefined
  readonly blockCount: number | undefined
  readonly headCount: number | undefined
  readonly headCountKv: number | undefined
  /** llama.cpp's number for the quantization of most weights. */
  readonly fileType: number | undefined
  readonly hasChatTemplate: boolean
  readonly template: TemplateFacts
  /** True if the file names tokens for filling in the middle. */
  readonly fillsGaps: boolean
  readonly tensorCount: number
  readonly parameterCount: number
  /** Projector facts (mmproj). Undefined in other files. */
  readonly projector: GgufProjector | undefined
  /** Number of files the model is split over. 1 if the file does not say. */
  readonly splitCount: number
}

export interface GgufProjector {
  readonly seesImages: boolean
  readonly hears: boolean
  /**
   * Embedding width of the projector's model. Undefined if the file does not say: in older files the field means
   * another width.
   */
  readonly modelEmbeddingLength: number | undefined
}

/** llama.cpp's architecture name of projectors. */
export const projectorArchitecture = 'clip'

const valueTypes = {
  text: 8,
  array: 9,
  // Type number -> bytes.
  fixed: new Map([
    [0, 1],
    [1, 1],
    [2, 2],
    [3, 2],
    [4, 4],
    [5, 4],
    [6, 4],
    [7, 1],
    [10, 8],
    [11, 8],
    [12, 8],
  ]),
}

// Far beyond any real model; llama.cpp compares each key and each tensor name with all before it.
const maximumKeys = 8_192
const maximumTensors = 65_536
const maximumTexts = 4_194_304
const maximumDimensions = 4
const maximumNameLength = 63
// Writers pad to the alignment, at most to a page; more is data missing from the header.
const maximumTrailingBytes = 65_536

/** Bytes of a template that are read: real ones have up to 30,000. */
const templateBytes = 256 * 1024
const templateKey = 'tokenizer.chat_template'

/** Array value. Only strings that may be fill-in-the-middle tokens are kept. */
interface ArrayValue {
  readonly arrayLength: number
  readonly texts: ReadonlySet<string>
}

type Value = string | number | boolean | ArrayValue | undefined

/**
 * Parses the header of a file. Every read stays inside the file, and memory is bounded. Throws FileError with a reason
 * for people.
 */
export function parseGgufHeader(source: ByteSource): GgufHeader {
  if (source.sizeBytes === 0) throw new FileError('is empty (0 bytes)')
  const cursor = new GgufCursor(source)
  const magic = new TextDecoder('latin1').decode(cursor.bytes(4, 'the magic number'))
  if (magic !== 'GGUF') throw new FileError('is not a GGUF file: it does not begin with "GGUF"')
  const version = cursor.u32('the version')
  if ((version & 0xffff) === 0) throw new FileError('is written for big-endian machines')
  if (version !== 2 && version !== 3) throw new FileError(`has GGUF version ${version}; 2 and 3 are known`)
  const tensorCount = countWithin(cursor.u64('the number of tensors'), maximumTensors, 'tensors')
  const keyCount = countWithin(cursor.u64('the number of keys'), maximumKeys, 'keys')
  const values = readValues(cursor, keyCount)
  const parameterCount = checkTensors(cursor, { tensorCount, alignment: alignmentOf(values) })
  return { version, tensorCount, parameterCount, ...factsOf(values) }
}

function countWithin(count: number, most: number, what: string): number {
  if (count > most) throw new FileError(`is damaged: it claims to hold ${count} ${what}`)
  return count
}

function readValues(cursor: GgufCursor, keyCount: number): Map<string, Value> {
  const values = new Map<string, Value>()
  const budget = { texts: maximumTexts }
  for (let index = 0; index < keyCount; index++) {
    const key = cursor.text(`key ${index + 1} of ${keyCount}`)
    if (key === '') throw new FileError(`is damaged: key ${index + 1} of ${keyCount} is empty`)
    if (values.has(key)) throw new FileError(`is damaged: key "${shown(key)}" comes twice`)
    values.set(key, readValue(cursor, key, budget))
  }
  return values
}

/** Number of array strings that may still follow: each costs time, and a hostile file can hold a billion. */
interface Budget {
  texts: number
}

function readValue(cursor: GgufCursor, key: string, budget: Budget): Value {
  const what = `the value of "${shown(key)}"`
  const type = cursor.u32(what)
  if (type === valueTypes.text) return cursor.text(what, key === templateKey ? templateBytes : undefined)
  if (type === valueTypes.array) return readArray(cursor, what, budget)
  const size = valueTypes.fixed.get(type)
  if (size === undefined) throw new FileError(`is damaged: ${what} has the unknown type ${type}`)
  if (type === 4) return cursor.u32(what)
  if (type === 2) return cursor.bytes(2, what).reduceRight((value, byte) => value * 256 + byte, 0)
  if (type === 7) return cursor.bytes(1, what)[0] !== 0
  if (type === 10) return cursor.u64(what)
  cursor.skip(size, what)
  return undefined // of no interest here
}

function readArray(cursor: GgufCursor, what: string, budget: Budget): Value {
  const type = cursor.u32(what)
  const arrayLength = cursor.u64(what)
  const size = valueTypes.fixed.get(type)
  if (size !== undefined) {
    cursor.skip(arrayLength * size, what)
    return { arrayLength, texts: new Set() }
  }
  if (type !== valueTypes.text) throw new FileError(`is damaged: ${what} is an array of the unknown type ${type}`)
  countWithin(arrayLength, budget.texts, `strings in ${what}`)
  budget.texts -= arrayLength
  const texts = new Set<string>()
  for (let index = 0; index < arrayLength; index++) {
    const text = cursor.textIf(mayBeFillText, what)
    if (text !== undefined) texts.add(text)
  }
  return { arrayLength, texts }
}

function alignmentOf(values: ReadonlyMap<string, Value>): number {
  const alignment = values.has('general.alignment') ? values.get('general.alignment') : 32
  // No bit operations: they would cut the number to 32 bits.
  if (typeof alignment !== 'number' || alignment < 1 || !Number.isInteger(Math.log2(alignment))) {
    throw new FileError('is damaged: general.alignment is not a power of two')
  }
  return alignment
}

interface Tensor {
  readonly name: string
  readonly elements: number
  readonly offset: number
  readonly sizeBytes: number
}

/** Checks the tensors. Returns the number of parameters. */
function checkTensors(cursor: GgufCursor, options: { tensorCount: number; alignment: number }): number {
  const { tensorCount, alignment } = options
  const names = new Set<string>()
  const tensors: Tensor[] = []
  for (let index = 0; index < tensorCount; index++) {
    const tensor = readTensor(cursor, `tensor ${index + 1} of ${tensorCount}`)
    if (names.has(tensor.name)) throw new FileError(`is damaged: tensor "${shown(tensor.name)}" comes twice`)
    names.add(tensor.name)
    tensors.push(tensor)
  }
  const dataStart = Math.ceil(cursor.position / alignment) * alignment
  const fileBytes = cursor.position + cursor.remainingBytes
  let parameterCount = 0
  let expectedOffset = 0
  for (const { name, elements, offset, sizeBytes } of tensors) {
    const end = dataStart + offset + sizeBytes
    if (end > fileBytes) {
      throw new FileError(`is cut short: tensor "${shown(name)}" ends at byte ${end}, the file has ${fileBytes}`)
    }
    // llama.cpp requires them consecutive, each aligned.
    if (offset !== expectedOffset) {
      throw new FileError(`is damaged: tensor "${shown(name)}" lies at ${offset} instead of ${expectedOffset}`)
    }
    expectedOffset += Math.ceil(sizeBytes / alignment) * alignment
    parameterCount += elements
  }
  const trailingBytes = fileBytes - (dataStart + expectedOffset)
  if (trailingBytes > maximumTrailingBytes) {
    throw new FileError(`is damaged: ${trailingBytes} bytes follow its last tensor, which no tensor describes`)
  }
  return parameterCount
}

function readTensor(cursor: GgufCursor, what: string): Tensor {
  const name = cursor.text(`the name of ${what}`)
  if (name.length > maximumNameLength) throw new FileError(`is damaged: the name of ${what} is too long`)
  const dimensionCount = cursor.u32(what)
  if (dimensionCount > maximumDimensions) throw new FileError(`is damaged: ${what} has ${dimensionCount} dimensions`)
  const dimensions = Array.from({ length: dimensionCount }, () => cursor.u64(what))
  const elements = dimensions.reduce((product, dimension) => product * dimension, 1)
  if (!Number.isSafeInteger(elements)) throw new FileError(`is damaged: ${what} has ${elements} elements`)
  const typeId = cursor.u32(what)
  const type = tensorTypes.get(typeId)
  if (type === undefined) throw new FileError(`uses number format ${typeId}, which this version does not know`)
  const rowLength = dimensions[0] ?? 1
  if (rowLength % type.blockSize !== 0) {
    throw new FileError(
      `is damaged: a row of ${what} has ${rowLength} numbers, ${type.name} needs blocks of ${type.blockSize}`,
    )
  }
  const offset = cursor.u64(`the offset of ${what}`)
  return { name, elements, offset, sizeBytes: (elements / type.blockSize) * type.blockBytes }
}

function factsOf(values: ReadonlyMap<string, Value>): Omit<GgufHeader, 'version' | 'tensorCount' | 'parameterCount'> {
  const text = (key: string) => {
    const value = values.get(key)
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const number = (key: string) => {
    const value = values.get(key)
    return typeof value === 'number' && value > 0 ? value : undefined
  }
  const token = (key: string) => {
    const value = values.get(key)
    return typeof value === 'number' ? value : undefined
  }
  const architecture = text('general.architecture')
  const tokens = values.get('tokenizer.ggml.tokens')
  return {
    architecture,
    name: text('general.name'),
    baseName: text('general.basename'),
    sizeLabel: text('general.size_label'),
    license: text('general.license'),
    contextLength: number(`${architecture}.context_length`),
    embeddingLength: number(`${architecture}.embedding_length`),
    vocabularySize: typeof tokens === 'object' ? tokens.arrayLength : number(`${architecture}.vocab_size`),
    blockCount: number(`${architecture}.block_count`),
    headCount: number(`${architecture}.attention.head_count`),
    headCountKv: number(`${architecture}.attention.head_count_kv`),
    fileType: values.get('general.file_type') === 0 ? 0 : number('general.file_type'),
    hasChatTemplate: text(templateKey) !== undefined,
    template: templateOf(text(templateKey), text(`${templateKey}.tool_use`)),
    fillsGaps: typeof tokens === 'object' && namesFillTokens(token, tokens.arrayLength, tokens.texts),
    projector:
      architecture === projectorArchitecture
        ? {
            seesImages: values.get('clip.has_vision_encoder') === true,
            hears: values.get('clip.has_audio_encoder') === true,
            modelEmbeddingLength:
              text('general.type') === 'mmproj'
                ? (number('clip.vision.projection_dim') ?? number('clip.audio.projection_dim'))
                : undefined,
          }
        : undefined,
    splitCount: number('split.count') ?? 1,
  }
}

/** Returns the facts of both templates. Some files have a second one for prompts with tools. */
function templateOf(usual: string | undefined, withTools: string | undefined): TemplateFacts {
  const facts = readTemplate(usual)
  return withTools === undefined ? facts : { ...facts, callsTools: true }
}

/** Returns file content for a message: short, on one line. */
function shown(text: string): string {
  return printableLine(text.slice(0, 60))
}
