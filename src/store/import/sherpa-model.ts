import { posix } from 'node:path'
import { type Detect, type FoundFile, ImportError, readingFile, type Source, type SourceFile } from './found-model.ts'
import { readOnnxGraph } from './onnx-graph.ts'
import { type SherpaKind, sherpaSettings } from './sherpa-settings.ts'

interface Role {
  readonly role: string
  /** Pattern of the file's or folder's name. */
  readonly pattern: RegExp
  readonly isFolder?: true
  readonly isOptional?: true
  /** True if all matching files belong to the role. */
  readonly isMany?: true
}

interface Kind {
  readonly name: SherpaKind
  readonly type: 'stt' | 'tts'
  readonly roles: readonly Role[]
}

const tokens: Role = { role: 'tokens', pattern: /(^|-)tokens\.txt$/ }
/** Roles for voice activity and speakers. */
const listening: readonly Role[] = [
  { role: 'vad', pattern: /^silero[-_]vad[^/]*\.onnx$/, isOptional: true },
  { role: 'segmentation', pattern: /segmentation[^/]*\.onnx$/, isOptional: true },
  {
    role: 'speaker-embedding',
    pattern: /^(speaker-embedding|wespeaker|voxceleb|3dspeaker)[^/]*\.onnx$/,
    isOptional: true,
  },
]
const phonemes: readonly Role[] = [
  { role: 'data', pattern: /^espeak-ng-data$/, isFolder: true, isOptional: true },
  { role: 'dict', pattern: /^dict$/, isFolder: true, isOptional: true },
  { role: 'lexicon', pattern: /^lexicon.*\.txt$/, isOptional: true, isMany: true },
  { role: 'rule', pattern: /\.fst$/, isOptional: true, isMany: true },
]
const voices: Role = { role: 'voices', pattern: /^voices\.bin$/ }
const model = (pattern: RegExp): Role => ({ role: 'model', pattern })
const graph = (role: string, name = role): Role => ({ role, pattern: new RegExp(`(^|-)${name}(?![a-z])[^/]*\\.onnx$`) })

/** Kinds of sherpa-onnx models by their files. The first match counts. */
const kinds: readonly Kind[] = [
  {
    name: 'transducer',
    type: 'stt',
    roles: [graph('encoder'), graph('decoder'), graph('joiner'), tokens, ...listening],
  },
  {
    name: 'moonshine',
    type: 'stt',
    roles: [
      graph('preprocessor', 'preprocess'),
      graph('encoder', 'encode'),
      graph('uncached-decoder', 'uncached_decode'),
      graph('cached-decoder', 'cached_decode'),
      tokens,
      ...listening,
    ],
  },
  { name: 'whisper', type: 'stt', roles: [graph('encoder'), graph('decoder'), tokens, ...listening] },
  {
    name: 'supertonic',
    type: 'tts',
    roles: [
      ...['duration_predictor', 'text_encoder', 'vector_estimator', 'vocoder'].map((name) =>
        graph(name.replace('_', '-'), name),
      ),
      { role: 'config', pattern: /^tts\.json$/ },
      { role: 'unicode-indexer', pattern: /^unicode_indexer\.(bin|json)$/ },
      { role: 'voices', pattern: /^voice.*\.bin$/ },
    ],
  },
  { name: 'kokoro', type: 'tts', roles: [model(/^(model|kokoro)[^/]*\.onnx$/), voices, tokens, ...phonemes] },
  {
    name: 'matcha',
    type: 'tts',
    roles: [
      model(/^model-steps[^/]*\.onnx$/),
      { role: 'vocoder', pattern: /^(vocos|hifigan)[^/]*\.onnx$/ },
      tokens,
      ...phonemes,
    ],
  },
  {
    name: 'vits',
    type: 'tts',
    roles: [
      model(/\.onnx$/),
      tokens,
      { role: 'lexicon', pattern: /^lexicon.*\.txt$/, isMany: true },
      ...phonemes.filter(({ role }) => role !== 'lexicon'),
    ],
  },
  {
    name: 'vits',
    type: 'tts',
    roles: [
      model(/\.onnx$/),
      tokens,
      { role: 'data', pattern: /^espeak-ng-data$/, isFolder: true },
      ...phonemes.filter(({ role }) => role !== 'data'),
    ],
  },
  { name: 'ctc', type: 'stt', roles: [model(/^model[^/]*\.onnx$/), tokens, ...listening] },
]

/** Detects a sherpa-onnx model: a folder whose files have the names that its exporters give them. */
export const detectSherpa: Detect = (source, { type }) => {
  if (
    source.named !== undefined ||
    !source.files.some(({ name }) => tokens.pattern.test(name) || /tts\.json$/.test(name))
  )
    return undefined
  const possible = kinds.filter((kind) => type === undefined || kind.type === type)
  for (const kind of possible) {
    const files = filesOf(kind, source)
    if (files === undefined) continue
    const graphs = new Map(
      files
        .filter(({ name }) => name.endsWith('.onnx'))
        .map(({ role, path }) => [role, readingFile({ path }, () => readOnnxGraph(path))]),
    )
    const { transcriber, synthesizer, capabilities } = sherpaSettings(kind.name, graphs)
    const diarization = graphs.has('segmentation') && graphs.has('speaker-embedding')
    const name = transcriber?.kind ?? kind.name
    return {
      description: `sherpa-onnx, ${name}`,
      manifest: {
        type: kind.type,
        engine: 'speech',
        transcriber,
        synthesizer,
        ...(kind.type === 'stt' && { capabilities: { ...capabilities, diarization } }),
      },
      files,
      notes: [],
      facts: { kind: name },
    }
  }
  return undefined
}

/** Returns the files of a kind; undefined if one is missing. */
function filesOf({ roles }: Kind, source: Source): FoundFile[] | undefined {
  const matching = roles.map((role) => ({ role, files: filesThatMatch(role, source) }))
  if (matching.some(({ role, files }) => files.length === 0 && role.isOptional !== true)) return undefined
  return matching.flatMap(({ role, files }) => {
    if (role.isFolder) return files.map((file) => ({ ...found(role, file), folder: folderOf(file) }))
    const chosen = role.isMany ? files : onlyOne(source, role, smallest(files))
    return chosen.map((file) => found(role, file))
  })
}

function filesThatMatch({ pattern, isFolder }: Role, { files }: Source): readonly SourceFile[] {
  return files.filter((file) => file.name.includes('/') === (isFolder ?? false) && pattern.test(folderOf(file)))
}

/** Returns the file's top folder, or its own name if it has none. */
function folderOf({ name }: SourceFile): string {
  return name.split('/')[0] ?? ''
}

/** Returns the quantised files if both exist: they are as good on a CPU, and a third of the size. */
function smallest(files: readonly SourceFile[]): readonly SourceFile[] {
  const quantised = files.filter(({ name }) => /\.int8\.onnx$/.test(name))
  return quantised.length > 0 ? quantised : files
}

function onlyOne({ given }: Source, { role }: Role, files: readonly SourceFile[]): readonly SourceFile[] {
  if (files.length <= 1) return files
  const names = files.slice(0, 5).map(({ name }) => name)
  throw new ImportError(
    `${given} holds several files for "${role}" (${names.join(', ')}); leave one, or write a manifest`,
  )
}

function found({ role }: Role, { name, path, problem }: SourceFile): FoundFile {
  if (problem !== undefined) throw new ImportError(`${path} ${problem}`)
  return { role, name: posix.normalize(name), path }
}
