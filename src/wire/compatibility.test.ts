/** docs/reference/fields.md is true of every field, item, part and tool, and lists all that the stock clients know. */
import { describe, expect, test } from 'bun:test'
import type { ChatEvent } from '../core/chat.ts'
import { ApiError } from '../core/errors.ts'
import type { Scores, Vectors } from '../core/texts.ts'
import { nothingConsumed } from '../core/usage.ts'
import { answerContext } from '../testing/answer-context.ts'
import type { CompatibilityExample, ExampleSection } from '../testing/compatibility/example.ts'
import { plainBodies } from '../testing/compatibility/plain-bodies.ts'
import { SdkTypes } from '../testing/compatibility/sdk-types.ts'
import { exampleSections } from '../testing/compatibility/sections.ts'
import { compatibilityRows, standsFor } from '../testing/compatibility/tables.ts'
import { chatCompletionsDialect } from './chat-completions/dialect.ts'
import { ChatBody } from './chat-completions/parse-request.ts'
import { parseModelId } from './check.ts'
import { cohereEmbedDialect, cohereEmbedV1Dialect } from './cohere/dialects.ts'
import { CohereEmbedBody, CohereEmbedBodyV1 } from './cohere/parse-embed.ts'
import { completionsDialect } from './completions/dialect.ts'
import { CompletionsBody } from './completions/parse-request.ts'
import type { ChatCall, ChatDialect } from './dialect.ts'
import { embeddingsDialect } from './embeddings/dialect.ts'
import { EmbeddingsBody } from './embeddings/parse-request.ts'
import { FimBody, fimCompletionsDialect } from './fim-completions/dialect.ts'
import { imagesDialect } from './images/dialect.ts'
import { ImagesBody } from './images/parse-request.ts'
import { messagesDialect } from './messages/dialect.ts'
import { MessagesBody, PromptBody, parseCountedRequest } from './messages/parse-request.ts'
import { moderationsDialect } from './moderations/dialect.ts'
import { ModerationsBody } from './moderations/parse-request.ts'
import {
  ollamaChatDialect,
  ollamaEmbedDialect,
  ollamaEmbeddingsDialect,
  ollamaGenerateDialect,
} from './ollama/dialect.ts'
import { OllamaChatBody } from './ollama/parse-chat.ts'
import { OllamaGenerateBody } from './ollama/parse-generate.ts'
import { rerankDialect } from './rerank/dialect.ts'
import { RerankBody } from './rerank/parse-request.ts'
import { responsesDialect } from './responses/dialect.ts'
import { ResponsesBody } from './responses/parse-request.ts'
import { speechDialect } from './speech/dialect.ts'
import { SpeechBody } from './speech/parse-request.ts'
import type { TextsCall, TextsDialect } from './texts-dialect.ts'
import { applyTemplateDialect, detokenizeDialect, tokenizeDialect } from './tokens/dialects.ts'
import { DetokenizeBody } from './tokens/parse-detokenize.ts'
import { ApplyTemplateBody, TokenizeBody } from './tokens/parse-tokenize.ts'
import { transcriptionsDialect, translationsDialect } from './transcriptions/dialect.ts'
import { TranscriptionsBody, TranslationsBody } from './transcriptions/parse-request.ts'

/** Answer with everything that fields of requests can change */
const token = { token: 'a', bytes: [97], logprob: -1, alternatives: [] }
const events: readonly ChatEvent[] = [
  { type: 'start', promptTokens: 5, cachedTokens: 0 },
  { type: 'reasoning-delta', choice: 0, text: 'Hm' },
  { type: 'text-delta', choice: 0, text: 'a', logprobs: [token] },
  { type: 'tool-call-start', choice: 0, index: 0, name: 'find' },
  { type: 'tool-call-delta', choice: 0, index: 0, argumentsText: '{}' },
  { type: 'choice-finish', choice: 0, reason: 'tool-calls' },
  {
    type: 'finish',
    usage: { ...nothingConsumed, promptTokens: 5, cachedTokens: 0, completionTokens: 3, reasoningTokens: 1 },
  },
]

/** Returns everything that a body changes: the engine's request and the answer. */
function effect<Call extends ChatCall>(dialect: ChatDialect<Call>, body: object): object {
  const call = dialect.parse(body, (id) => ({ type: 'message', role: 'assistant', content: `item ${id}` }))
  const kept: unknown[] = []
  const encoder = dialect.encoder(call, { ...answerContext(), keepItem: (item) => kept.push(item) })
  const frames = [...events.flatMap((event) => encoder.push(event)), ...encoder.end()]
  return {
    request: call.request,
    stream: call.stream,
    model: parseModelId(body),
    kept,
    // These frames repeat the request's fields, whether or not they have an effect.
    frames: frames.filter((frame) => !/^event: response\.(created|in_progress|completed)\n/.test(frame)),
  }
}

/** Does the same for dialects that answer in one piece. */
function textsEffect<Call extends TextsCall>(dialect: TextsDialect<Call>, body: object): object {
  const call = dialect.parse(body)
  const { request } = call
  const result: Vectors | Scores =
    'inputs' in request
      ? { type: 'vectors', dimensions: 1, values: new Float32Array(request.inputs.length) }
      : { type: 'scores', values: new Float32Array(request.documents.length) }
  const collector = dialect.collector(call, { ...answerContext(), newId: (prefix) => prefix })
  collector.push(result)
  collector.push({ type: 'finish', usage: { ...nothingConsumed, promptTokens: 5 } })
  const answer = Array.from(collector.end() as Iterable<string>).join('')
  return { request, answer, model: parseModelId(body) }
}

/** Does the same for speech: the head and pieces of its answer. */
function speechEffect(body: object): object {
  const call = speechDialect.parse(body)
  const encoder = speechDialect.encoder?.(call, answerContext())
  const pieces = encoder?.push({ type: 'audio', bytes: Uint8Array.of(1) })
  return { request: call.request, head: encoder?.head, pieces, model: parseModelId(body) }
}

/** Does the same for transcriptions, whose body does not contain the recording. */
function transcriptionEffect(dialect: typeof transcriptionsDialect, body: object): object {
  const call = dialect.parse(body)
  const collector = dialect.collector(call, answerContext())
  const words = [{ text: 'a', startSeconds: 0, endSeconds: 1 }]
  collector.push({ type: 'segment', text: 'a', startSeconds: 0, endSeconds: 1, words })
  collector.push({ type: 'finish', usage: { ...nothingConsumed, audioMs: 1000 } })
  const { request, stream } = call
  return { request, stream, answer: collector.end(), head: collector.head?.(), model: parseModelId(body) }
}

/** Does the same for Ollama's API, whose calls contain more than the engine's request. */
function ollamaEffect(dialect: typeof ollamaChatDialect, body: object): object {
  const call = dialect.parse(body)
  const encoder = dialect.encoder?.(call, answerContext())
  return { call, pieces: events.map((event) => encoder?.push(event)), model: parseModelId(body) }
}

const effects: Readonly<Record<ExampleSection['dialect'], (body: object) => object>> = {
  'chat/completions': (body) => effect(chatCompletionsDialect, body),
  completions: (body) => effect(completionsDialect, body),
  'fim/completions': (body) => effect(fimCompletionsDialect, body),
  embeddings: (body) => textsEffect(embeddingsDialect, body),
  embed: (body) => textsEffect(cohereEmbedV1Dialect, body),
  'v2/embed': (body) => textsEffect(cohereEmbedDialect, body),
  rerank: (body) => textsEffect(rerankDialect, body),
  tokenize: (body) => ({ call: tokenizeDialect.parse(body), model: parseModelId(body) }),
  detokenize: (body) => ({ call: detokenizeDialect.parse(body), model: parseModelId(body) }),
  'apply-template': (body) => ({ call: applyTemplateDialect.parse(body), model: parseModelId(body) }),
  'api/chat': (body) => ollamaEffect(ollamaChatDialect, body),
  'api/generate': (body) => ollamaEffect(ollamaGenerateDialect, body),
  'api/embed': (body) => ollamaEmbedDialect.parse(body),
  'api/embeddings': (body) => ollamaEmbeddingsDialect.parse(body),
  moderations: (body) => ({ call: moderationsDialect.parse(body), model: parseModelId(body) }),
  'images/generations': (body) => ({ call: imagesDialect.parse(body), model: parseModelId(body) }),
  'audio/speech': speechEffect,
  'audio/transcriptions': (body) => transcriptionEffect(transcriptionsDialect, body),
  'audio/translations': (body) => transcriptionEffect(translationsDialect, body),
  responses: (body) => effect(responsesDialect, body),
  messages: (body) => effect(messagesDialect, body),
  'messages/count_tokens': (body) => ({
    request: parseCountedRequest(body),
    model: parseModelId(body),
  }),
}

function exampleOf(section: string, name: string): CompatibilityExample & Pick<ExampleSection, 'dialect'> {
  const found = exampleSections[section]
  const example = found?.examples[name]
  if (found === undefined || example === undefined) throw new Error(`there is no example of ${name} in "${section}"`)
  return { ...example, dialect: found.dialect }
}

/** Returns the refusal of the body; undefined if it is accepted. */
function refusalOf(work: () => unknown): ApiError | undefined {
  try {
    work()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  return undefined
}

describe('what the tables say is so', () => {
  test.each(compatibilityRows)('$section, $name: $verdict', ({ section, name, verdict }) => {
    const { dialect, body, without } = exampleOf(section, name)
    const plain = plainBodies[dialect]
    const run = effects[dialect]
    const before = run({ ...plain, ...without })
    if (verdict === 'supported') expect(run({ ...plain, ...body })).not.toEqual(before)
    else if (verdict === 'ignored') expect(run({ ...plain, ...body })).toEqual(before)
    else {
      expect(verdict).toBe('refused')
      const refusal = refusalOf(() => run({ ...plain, ...body }))
      expect(refusal).toMatchObject({ kind: 'invalid_request' })
      // The error names the field itself or, for anything else, the place of the example's value.
      const places = section.endsWith('Request fields') ? [name] : Object.keys(body)
      expect(places.some((place) => refusal?.param === place || refusal?.param?.startsWith(`${place}[`))).toBe(true)
    }
  })

  test('no row stands twice, and no example is about nothing', () => {
    const names = compatibilityRows.map(({ section, name }) => `${section}, ${name}`)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
    const examples = Object.entries(exampleSections).flatMap(([section, { examples }]) =>
      Object.keys(examples).map((name) => `${section}, ${name}`),
    )
    expect(examples.filter((example) => !names.includes(example))).toEqual([])
  })
})

test.each<[section: string, schema: { readonly properties: object }]>([
  ['chat/completions: Request fields', ChatBody],
  ['completions: Request fields', CompletionsBody],
  ['fim/completions: Request fields', FimBody],
  ['responses: Request fields', ResponsesBody],
  ['messages: Request fields', MessagesBody],
  ['messages/count_tokens: Request fields', PromptBody],
  ['tokenize: Request fields', TokenizeBody],
  ['detokenize: Request fields', DetokenizeBody],
  ['apply-template: Request fields', ApplyTemplateBody],
  ['embeddings: Request fields', EmbeddingsBody],
  ['embed: Request fields', CohereEmbedBodyV1],
  ['v2/embed: Request fields', CohereEmbedBody],
  ['rerank: Request fields', RerankBody],
  ['moderations: Request fields', ModerationsBody],
  ['images/generations: Request fields', ImagesBody],
  ['audio/speech: Request fields', SpeechBody],
  ['audio/transcriptions: Request fields', TranscriptionsBody],
  ['audio/translations: Request fields', TranslationsBody],
  ['api/chat: Request fields', OllamaChatBody],
  ['api/generate: Request fields', OllamaGenerateBody],
])('%s: every field that the parser reads is in the table', (section, { properties }) => {
  const named = compatibilityRows
    .filter((row) => row.section === section && row.verdict !== 'ignored')
    .map(({ name }) => name)
  expect(Object.keys(properties).filter((field) => !named.includes(field))).toEqual([])
})

const chatTypes = new SdkTypes('openai/resources/chat/completions/completions.d.ts')
const completionsTypes = new SdkTypes('openai/resources/completions.d.ts')
const responsesTypes = new SdkTypes('openai/resources/responses/responses.d.ts')
const messagesTypes = new SdkTypes('@anthropic-ai/sdk/resources/messages/messages.d.ts')
const betaTypes = new SdkTypes('@anthropic-ai/sdk/resources/beta/messages/messages.d.ts')
const embeddingsTypes = new SdkTypes('openai/resources/embeddings.d.ts')
const transcriptionTypes = new SdkTypes('openai/resources/audio/transcriptions.d.ts')
const moderationsTypes = new SdkTypes('openai/resources/moderations.d.ts')
const imagesTypes = new SdkTypes('openai/resources/images.d.ts')
const translationTypes = new SdkTypes('openai/resources/audio/translations.d.ts')
const speechTypes = new SdkTypes('openai/resources/audio/speech.d.ts')
const rerankTypes = new SdkTypes('cohere-ai/api/client/requests/RerankRequest.d.ts')
const rerankTypesV2 = new SdkTypes('cohere-ai/api/resources/v2/client/requests/V2RerankRequest.d.ts')
const embedTypes = new SdkTypes('cohere-ai/api/client/requests/EmbedRequest.d.ts')
const embedTypesV2 = new SdkTypes('cohere-ai/api/resources/v2/client/requests/V2EmbedRequest.d.ts')
const chatRoles = ['Developer', 'System', 'User', 'Assistant', 'Tool', 'Function']

test.each<[section: string, known: readonly string[]]>([
  ['chat/completions: Request fields', chatTypes.fieldsOf('ChatCompletionCreateParamsBase')],
  ['chat/completions: Messages', chatRoles.flatMap((role) => chatTypes.fieldsOf(`ChatCompletion${role}MessageParam`))],
  ['chat/completions: Content parts', chatTypes.typesOf('ChatCompletionContentPart')],
  ['chat/completions: Tools', chatTypes.typesOf('ChatCompletionTool')],
  ['completions: Request fields', completionsTypes.fieldsOf('CompletionCreateParamsBase')],
  ['responses: Request fields', responsesTypes.fieldsOf('ResponseCreateParamsBase')],
  ['responses: Input items', responsesTypes.typesOf('ResponseInputItem', 'message')],
  ['responses: Content parts', responsesTypes.typesOf('ResponseInputContent')],
  ['responses: Tools', responsesTypes.typesOf('Tool')],
  ['messages: Request fields', messagesTypes.fieldsOf('MessageCreateParamsBase')],
  ['messages: Request fields', betaTypes.fieldsOf('MessageCreateParamsBase')],
  ['messages: Content blocks', messagesTypes.typesOf('ContentBlockParam')],
  ['messages: Content blocks', betaTypes.typesOf('BetaContentBlockParam')],
  ['messages: Tools', messagesTypes.typesOf('ToolUnion', 'custom')],
  ['messages: Tools', betaTypes.typesOf('BetaToolUnion', 'custom')],
  ['messages: tool_choice', messagesTypes.typesOf('ToolChoice')],
  ['messages/count_tokens: Request fields', messagesTypes.fieldsOf('MessageCountTokensParams')],
  ['messages/count_tokens: Request fields', betaTypes.fieldsOf('MessageCountTokensParams')],
  ['embeddings: Request fields', embeddingsTypes.fieldsOf('EmbeddingCreateParams')],
  ['moderations: Request fields', moderationsTypes.fieldsOf('ModerationCreateParams')],
  ['images/generations: Request fields', imagesTypes.fieldsOf('ImageGenerateParamsBase')],
  ['audio/speech: Request fields', speechTypes.fieldsOf('SpeechCreateParams')],
  [
    'audio/transcriptions: Request fields',
    // The text above the table describes the file.
    transcriptionTypes.fieldsOf('TranscriptionCreateParamsBase').filter((name) => name !== 'file'),
  ],
  [
    'audio/translations: Request fields',
    translationTypes.fieldsOf('TranslationCreateParams').filter((name) => name !== 'file'),
  ],
  ['rerank: Request fields', rerankTypes.fieldsOf('RerankRequest').map(toSnakeCase)],
  ['rerank: Request fields', rerankTypesV2.fieldsOf('V2RerankRequest').map(toSnakeCase)],
  ['embed: Request fields', embedTypes.fieldsOf('EmbedRequest').map(toSnakeCase)],
  ['v2/embed: Request fields', embedTypesV2.fieldsOf('V2EmbedRequest').map(toSnakeCase)],
])('%s: everything that the stock client knows is in the table', (section, known) => {
  const names = compatibilityRows.filter((row) => row.section === section).map(({ name }) => name)
  expect(known.length).toBeGreaterThan(1)
  expect(known.filter((name) => !names.some((row) => standsFor(row, name)))).toEqual([])
})

/** Returns a name as that client spells it on the wire. */
function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
