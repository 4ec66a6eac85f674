/** Settings of a text model in the files beside its graph, from Transformers and Sentence Transformers. */

import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { maximumContextLength } from '../../catalog/manifest-schema.ts'
import { readTextFile } from '../../catalog/stat-file.ts'
import { jsonIn } from '../../core/json.ts'
import type { TextModelSettings } from '../../core/text-model-settings.ts'
import { ImportError, readingFile, type SourceFile } from './found-model.ts'

export interface TextModelNotes {
  readonly contextLength: number | undefined
  readonly hiddenSize: number | undefined
  readonly padTokenId: number | undefined
  readonly padding: 'left' | 'right'
  readonly pooling: 'mean' | 'cls' | 'last' | undefined
  readonly normalize: boolean | undefined
  readonly hasDenseLayer: boolean
  readonly queryPrefix: string
  readonly documentPrefix: string
  readonly license: string | undefined
}

/** Names of the files that an import looks for beside the graph: settings, and the tokenizer. */
export const textModelFiles = [
  'tokenizer.json',
  'tokenizer_config.json',
  'config.json',
  'sentence_bert_config.json',
  'config_sentence_transformers.json',
  'modules.json',
  '1_Pooling/config.json',
  'README.md',
] as const

type Find = (name: (typeof textModelFiles)[number]) => SourceFile | undefined

const maximumBytes = 4 * 1024 * 1024
const count = Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 53 }))
const isOn = Type.Optional(Type.Boolean())

const configFile = Type.Object({
  max_position_embeddings: count,
  hidden_size: count,
  pad_token_id: Type.Optional(Type.Union([Type.Null(), Type.Integer({ minimum: 0, maximum: 10_000_000 })])),
  model_type: Type.Optional(Type.String()),
})
const tokenizerConfigFile = Type.Object({
  model_max_length: Type.Optional(Type.Number()),
  padding_side: Type.Optional(Type.String()),
})
const sentenceConfigFile = Type.Object({ max_seq_length: Type.Optional(Type.Union([Type.Null(), Type.Number()])) })
const promptsFile = Type.Object({
  prompts: Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 20_000 }))),
})
const modulesFile = Type.Array(Type.Object({ type: Type.String() }))
const poolingFile = Type.Object({
  pooling_mode_cls_token: isOn,
  pooling_mode_mean_tokens: isOn,
  pooling_mode_lasttoken: isOn,
})

/** Reads the files that `find` finds. Throws ImportError for a malformed one. */
export function readTextModelNotes(find: Find): TextModelNotes {
  const config = read(find, 'config.json', configFile)
  const tokenizer = read(find, 'tokenizer_config.json', tokenizerConfigFile)
  const sentences = read(find, 'sentence_bert_config.json', sentenceConfigFile)
  const modules = read(find, 'modules.json', modulesFile)
  const prompts = read(find, 'config_sentence_transformers.json', promptsFile)?.prompts ?? {}
  const has = (kind: string) => modules?.some(({ type }) => type.endsWith(`.${kind}`))
  return {
    contextLength: contextLengthOf({ config, tokenizer, sentences }),
    hiddenSize: config?.hidden_size,
    padTokenId: config?.pad_token_id ?? undefined,
    padding: tokenizer?.padding_side === 'left' ? 'left' : 'right',
    pooling: poolingOf(read(find, '1_Pooling/config.json', poolingFile)),
    normalize: has('Normalize'),
    hasDenseLayer: has('Dense') === true,
    queryPrefix: prompts.query ?? '',
    documentPrefix: prompts.document ?? prompts.passage ?? '',
    license: licenseIn(find('README.md')),
  }
}

/** Returns the settings by which the engine reads texts for this graph. */
export function encoderOf(
  notes: TextModelNotes,
  graph: { readonly isEmbedding: boolean; readonly isPooled: boolean; readonly output: string | undefined },
): TextModelSettings {
  const { isEmbedding, isPooled, output } = graph
  return {
    output,
    pooling: isEmbedding && !isPooled ? (notes.pooling ?? 'mean') : 'none',
    normalize: notes.normalize ?? true,
    padding: notes.padding,
    padTokenId: notes.padTokenId ?? 0,
    specialTokens: true,
    queryPrefix: isEmbedding ? notes.queryPrefix : '',
    documentPrefix: isEmbedding ? notes.documentPrefix : '',
    activation: 'sigmoid',
    goldenVectors: [],
    goldenScores: [],
  }
}

interface LengthFiles {
  readonly config: Static<typeof configFile> | undefined
  readonly tokenizer: Static<typeof tokenizerConfigFile> | undefined
  readonly sentences: Static<typeof sentenceConfigFile> | undefined
}

/** Returns the shortest length in the files. Tokenizers without a limit have 1e30. */
function contextLengthOf({ config, tokenizer, sentences }: LengthFiles): number | undefined {
  // RoBERTa's positions begin after the padding position.
  const isRoberta = /roberta|camembert|mpnet/.test(config?.model_type ?? '')
  const positions = config?.max_position_embeddings
  const lengths = [
    positions === undefined ? undefined : positions - (isRoberta ? 2 : 0),
    tokenizer?.model_max_length,
    sentences?.max_seq_length,
  ].filter((length) => typeof length === 'number' && length >= 1 && length <= maximumContextLength)
  return lengths.length === 0 ? undefined : Math.floor(Math.min(...lengths.map(Number)))
}

function poolingOf(file: Static<typeof poolingFile> | undefined): TextModelNotes['pooling'] {
  if (file === undefined) return undefined
  const modes = [
    ['cls', file.pooling_mode_cls_token],
    ['mean', file.pooling_mode_mean_tokens],
    ['last', file.pooling_mode_lasttoken],
  ] as const
  const chosen = modes.filter(([, isChosen]) => isChosen === true)
  const [first] = chosen
  if (first === undefined || chosen.length > 1)
    throw new ImportError('1_Pooling/config.json names no pooling that is known here')
  return first[0]
}

/** Returns the licence from the facts at the start of a hub's model card. */
function licenseIn(file: SourceFile | undefined): string | undefined {
  if (file === undefined) return undefined
  const head = textOf(file).slice(0, 20_000)
  return /^---\n(?:[^\n]*\n)*?license: *["']?([\w.-]{1,100})["']? *\n/.exec(head)?.[1]
}

function read<Schema extends TSchema>(
  find: Find,
  name: (typeof textModelFiles)[number],
  schema: Schema,
): Static<Schema> | undefined {
  const file = find(name)
  if (file === undefined) return undefined
  const content = jsonIn(textOf(file))
  if (content === undefined) throw new ImportError(`${file.path} is not JSON`)
  if (Value.Check(schema, content)) return content
  const [first] = Value.Errors(schema, content)
  throw new ImportError(`${file.path} is not as expected: "${first?.path.slice(1) ?? ''}" is of another form`)
}

function textOf(file: SourceFile): string {
  return readingFile(file, () => readTextFile(file.path, maximumBytes))
}
