/** A model's manifest as written in TOML. Descriptions complete "<field> must be …" in error messages. */

import { type Static, type TOptional, type TUnknown, Type } from '@sinclair/typebox'
import { type EngineKind, modelTypes } from '../core/model.ts'
import { oneOf, wholeNumber } from '../core/schemas.ts'
import { tomlKey } from '../core/setting.ts'
import { synthesizerKinds, transcriberKinds } from '../core/speech-model-settings.ts'
import { upstreamFlavors } from '../core/upstream.ts'
import { engineKinds } from '../engines/engine-table.ts'
import { maximumTokens } from '../engines/shared/shared-settings.ts'
import { upstreamSettings } from '../engines/upstream/settings.ts'

const text = (description: string, pattern: string, maxLength = 200) => Type.String({ description, pattern, maxLength })
const flag = Type.Boolean({ description: 'true or false' })
const price = Type.Number({ description: 'a price in USD, 0 or more', minimum: 0, maximum: 1_000_000 })
const share = Type.Number({ description: 'a number from 0 to 1', minimum: 0, maximum: 1 })
const closed = { additionalProperties: false }

const reasoningDefault = oneOf(['off', 'on'])

/** Most tokens that a manifest may give for a model's context. */
export const maximumContextLength = maximumTokens

/** `<org>/<model-name>`: also a folder below the data folder, so no name begins with a dot. */
export const modelIdPattern = '^[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*$'

export function isModelId(text: string): boolean {
  return new RegExp(modelIdPattern).test(text) && text.length <= 200
}

/** Other names of a model: also those that other providers use. */
export const aliasPattern = '^[A-Za-z0-9][A-Za-z0-9._:/@-]*$'

const alias = Type.Object(
  {
    id: text('an id of letters, digits and ._:/@-', aliasPattern),
    reasoning: Type.Optional(reasoningDefault),
  },
  { ...closed, description: 'a table with an id' },
)

const file = Type.Object(
  {
    role: text('a lower-case word', '^[a-z][a-z0-9-]*$', 40),
    name: Type.Optional(text('a path', '^.+$', 1000)),
    url: Type.Optional(text('hf://<org>/<repository>[@<revision>]/<path> or an http URL', '^(hf|https?)://.+$', 2000)),
    path: Type.Optional(text('a path', '^[^\\0]+$', 4000)),
    bytes: Type.Optional(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
    sha256: Type.Optional(text('64 hexadecimal digits', '^[0-9a-f]{64}$')),
    commit: Type.Optional(text('40 hexadecimal digits', '^[0-9a-f]{40}$')),
    unpack: Type.Optional(flag),
  },
  { ...closed, description: 'a table with a role' },
)

const prompt = (description: string) => Type.String({ description, maxLength: 20_000 })
const token = text('a token', '^[^\\0]+$')
const component = Type.Number({ description: 'a number' })

const encoder = Type.Object(
  {
    output: Type.Optional(text('the name of a tensor', '^\\S+$')),
    pooling: Type.Optional(oneOf(['mean', 'cls', 'last', 'none'])),
    normalize: Type.Optional(flag),
    padding: Type.Optional(oneOf(['left', 'right'])),
    pad_token_id: Type.Optional(wholeNumber(0, 10_000_000)),
    special_tokens: Type.Optional(flag),
    append_token: Type.Optional(token),
    drop_token: Type.Optional(token),
    query_prefix: Type.Optional(prompt('text before queries')),
    document_prefix: Type.Optional(prompt('text before documents')),
    pair_template: Type.Optional(
      Type.Object(
        {
          prefix: prompt('text'),
          body: text('text with {query} that ends with {document}', '\\{query\\}[^]*\\{document\\}$', 20_000),
          suffix: prompt('text'),
        },
        { ...closed, description: 'a table of prefix, body and suffix' },
      ),
    ),
    activation: Type.Optional(oneOf(['sigmoid', 'none'])),
    answer_tokens: Type.Optional(
      Type.Object({ yes: token, no: token }, { ...closed, description: 'a table of yes and no' }),
    ),
    golden: Type.Optional(
      Type.Array(
        Type.Union(
          [
            Type.Object(
              {
                text: Type.String(),
                input_type: Type.Optional(oneOf(['query', 'document'])),
                values: Type.Array(component, { minItems: 4 }),
              },
              closed,
            ),
            Type.Object({ query: Type.String(), document: Type.String(), score: component }, closed),
          ],
          { description: 'a table of text and at least 4 values, or of query, document and score' },
        ),
        { description: 'a list of tables' },
      ),
    ),
  },
  { ...closed, description: 'a table' },
)

const language = text('the code of a language, such as en', '^[a-z]{2,3}$')
const dialect = text('the code of a language, such as en-us', '^[a-z]{2,3}(-[a-z0-9]+)*$', 20)

const transcriber = Type.Object(
  {
    kind: oneOf(transcriberKinds),
    languages: Type.Optional(Type.Array(language, { description: 'a list of at least one language', minItems: 1 })),
  },
  { ...closed, description: 'a table with a kind' },
)

const diarizer = Type.Object(
  {
    threshold: Type.Optional(
      Type.Number({ description: 'a distance above 0, up to 2', exclusiveMinimum: 0, maximum: 2 }),
    ),
  },
  { ...closed, description: 'a table' },
)

const voiceName = text('a name without control characters', '^[^\\x00-\\x1f\\x7f]+$', 100)

const voice = Type.Object(
  {
    name: voiceName,
    speaker: wholeNumber(0, 1_000_000),
    aliases: Type.Optional(Type.Array(voiceName, { description: 'a list of names' })),
    language: Type.Optional(dialect),
  },
  { ...closed, description: 'a table with a name and a speaker' },
)

const synthesizer = Type.Object(
  {
    kind: oneOf(synthesizerKinds),
    language: Type.Optional(dialect),
    voices: Type.Array(voice, { description: 'a list of at least one table', minItems: 1 }),
  },
  { ...closed, description: 'a table with a kind and voices' },
)

/** `upstream-of.ts` checks keys and endpoints: error messages must not quote them. */
const upstream = Type.Object(
  {
    flavor: oneOf(upstreamFlavors),
    model: text('the name of the model there', '^[^\\x00-\\x1f\\x7f]+$', 500),
    endpoints: Type.Unknown(),
    key: Type.Optional(Type.Unknown()),
    max_concurrent: Type.Optional(wholeNumber(1, 65_536, 'a number of requests')),
    // Settings are read by their own table.
    ...Object.fromEntries(Object.keys(upstreamSettings).map((name) => [tomlKey(name), Type.Optional(Type.Unknown())])),
  },
  { ...closed, description: 'a table with flavor, model and endpoints' },
)

/** Settings tables, one per engine kind. The row in `engineTable` checks the content. */
const settingsTables = Object.fromEntries(engineKinds.map((kind) => [kind, Type.Optional(Type.Unknown())])) as Record<
  EngineKind,
  TOptional<TUnknown>
>

export const manifestSchema = Type.Object(
  {
    id: text('<org>/<model-name>', modelIdPattern),
    type: oneOf(modelTypes),
    engine: oneOf(engineKinds),
    why: Type.Optional(text('one line of at most 120 characters', '^[^\\x00-\\x1f\\x7f]+$', 120)),
    license: Type.Optional(text('a licence name', '^\\S+$')),
    license_url: Type.Optional(text('an https:// URL', '^https://\\S+$', 2000)),
    accept_license: Type.Optional(flag),
    noncommercial: Type.Optional(flag),
    context_length: Type.Optional(wholeNumber(1, maximumTokens, 'a number of tokens')),
    dimensions: Type.Optional(wholeNumber(1, 1_000_000)),
    aliases: Type.Optional(Type.Array(alias, { description: 'a list of tables' })),
    files: Type.Optional(Type.Array(file, { description: 'a list of tables' })),
    gpu_files: Type.Optional(Type.Array(file, { description: 'a list of at least one table', minItems: 1 })),
    pricing: Type.Optional(
      Type.Object(
        {
          input: Type.Optional(price),
          cached_input: Type.Optional(price),
          output: Type.Optional(price),
          price: Type.Optional(price),
          unit: oneOf(['1M_tokens', '1M_characters', 'minute', 'image']),
        },
        { ...closed, description: 'a table with a unit' },
      ),
    ),
    capabilities: Type.Optional(
      Type.Object(
        {
          tools: Type.Optional(flag),
          // Has no effect, since the type decides. Manifests of earlier versions contain it.
          vision: Type.Optional(flag),
          audio: Type.Optional(flag),
          reasoning: Type.Optional(oneOf(['none', 'toggle', 'effort', 'always'])),
          diarization: Type.Optional(flag),
          word_timestamps: Type.Optional(flag),
          translation: Type.Optional(flag),
          prompt: Type.Optional(flag),
          custom_dimensions: Type.Optional(flag),
        },
        { ...closed, description: 'a table' },
      ),
    ),
    ...settingsTables,
    upstream: Type.Optional(upstream),
    encoder: Type.Optional(encoder),
    transcriber: Type.Optional(transcriber),
    diarizer: Type.Optional(diarizer),
    synthesizer: Type.Optional(synthesizer),
    defaults: Type.Optional(
      Type.Object(
        {
          temperature: Type.Optional(Type.Number({ description: 'a number from 0 to 2', minimum: 0, maximum: 2 })),
          top_p: Type.Optional(share),
          top_k: Type.Optional(wholeNumber(0, 1_000_000)),
          min_p: Type.Optional(share),
          reasoning: Type.Optional(reasoningDefault),
          max_tokens: Type.Optional(wholeNumber(1, maximumTokens, 'a number of tokens')),
          repetition_detection: Type.Optional(flag),
        },
        { ...closed, description: 'a table' },
      ),
    ),
  },
  { ...closed, description: 'a table' },
)

export type ManifestToml = Static<typeof manifestSchema>
