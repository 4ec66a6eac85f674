import { type Static, Type } from '@sinclair/typebox'
import type { ChatRequest } from '../../core/chat.ts'
import { isObject } from '../../core/json.ts'
import { parseAnswerForm } from '../chat/answer-form.ts'
import { isDeeperThan } from '../chat/client-json.ts'
import { parseReasoning, reasoningFields } from '../chat/parse-reasoning.ts'
import { parseSampling, samplingFields } from '../chat/parse-sampling.ts'
import { parseTemplateVariables } from '../chat/parse-template-variables.ts'
import { exampleUrl } from '../chat/read-image.ts'
import { parseRepetitionDetection, repetitionField } from '../chat/repetition-detection.ts'
import { limitOf, tokenLimit } from '../chat/token-limit.ts'
import { mayCallInParallel } from '../chat/tool-choice.ts'
import { requireToolCount, requireToolSize } from '../chat/tools.ts'
import {
  check,
  invalidValue,
  modelField,
  optionalAny,
  optionalFlag,
  optionalInteger,
  parseModelId,
  presentFields,
} from '../check.ts'
import type { ChatCall, FindItem } from '../dialect.ts'
import { limits } from '../limits.ts'
import { refuseUnsupported, type UnsupportedFields } from '../unsupported.ts'
import { Conversation } from './conversation.ts'
import { type InputItem, lastUserIndex, parseInput } from './parse-input.ts'
import { parseTextFormat } from './parse-text-format.ts'
import { parseNamespacedChoice } from './parse-tool-choice.ts'
import { readItem } from './read-item.ts'
import { countTools, registerTools } from './register-tools.ts'
import { type RequestEcho, toEcho } from './request-echo.ts'
import type { ReasoningStyle } from './text-item.ts'
import { ToolDirectory, type ToolNames } from './tool-directory.ts'
import { parseWebSearch } from './web-search.ts'

const examplePart = { type: 'input_image', image_url: exampleUrl, detail: 'auto' }

export const ResponsesBody = Type.Object({
  ...modelField,
  input: Type.Optional(
    Type.Unknown({
      description: 'a text or an array of items',
      examples: [
        'What is red?',
        [{ role: 'user', content: [{ type: 'input_text', text: 'What is this?' }, examplePart] }],
      ],
    }),
  ),
  instructions: Type.Optional(Type.Unknown({ description: 'a string' })),
  stream: optionalFlag,
  max_output_tokens: Type.Optional(tokenLimit),
  ...samplingFields,
  ...reasoningFields,
  ...repetitionField,
  top_logprobs: optionalInteger(0, limits.alternatives.most),
  include: Type.Optional(Type.Array(Type.String(), { maxItems: 1_000, description: 'an array of up to 1000 strings' })),
  tools: optionalAny,
  tool_choice: optionalAny,
  parallel_tool_calls: optionalFlag,
  text: optionalAny,
  store: optionalAny,
  chat_template_kwargs: optionalAny,
})

/**
 * Fields that request something kept between requests. `store` is not among them, because it does not change the
 * answer.
 */
const unsupported: UnsupportedFields = {
  previous_response_id: stateful("Send the whole conversation in 'input'."),
  conversation: stateful("Send the whole conversation in 'input'."),
  prompt: stateful("Send its text in 'instructions'."),
  background: stateful('Leave it out and wait for the answer, or stream it.'),
}

function stateful(advice: string): UnsupportedFields[string] {
  return { words: `: responses are not stored. ${advice}`, isHarmless: (value) => value === false }
}

/** A responses body in canonical form. */
export interface ResponsesCall extends ChatCall {
  /** Tools by the names that the model sees */
  readonly toolNames: ToolNames
  /** Style in which the answer shows thinking. Undefined if it shows none. */
  readonly reasoningStyle: ReasoningStyle | undefined
  readonly echo: RequestEcho
  /** True if later requests may refer to the items of the answer. */
  readonly isStored: boolean
}

/** Translates a whole body. Throws ApiError 400 whose `param` is the dotted path of the wrong field. */
export function parseResponses(body: unknown, findItem: FindItem = () => undefined): ResponsesCall {
  const fields = presentFields(body)
  const model = parseModelId(fields)
  requireShallow(fields)
  const checked = check(ResponsesBody, fields)
  refuseUnsupported(fields, unsupported)
  const items = parseInput(fields, findItem)
  const sources = sourcesOf(fields.tools, items)
  const directory = collectDirectory(sources)
  const messages = toMessages(items, directory)
  const offered = directory.offered()
  const webSearch = parseWebSearch(sources, offered, fields)
  const { include = [] } = checked
  const isSealed = include.includes('reasoning.encrypted_content')
  const { variables, thinking } = parseTemplateVariables(fields.chat_template_kwargs)
  const wishes = { ...checked, reasoning: latestReasoning(fields.reasoning, items) }
  const { reasoning, isHidden } = parseReasoning(wishes, thinking)
  const textFormat = parseTextFormat(fields.text)
  return {
    model,
    stream: checked.stream ?? false,
    // Evaluated after the messages, which may name further tools.
    toolNames: directory.names(),
    reasoningStyle: isHidden ? undefined : { isSummary: isSummaryWanted(fields.reasoning), isSealed },
    echo: toEcho(fields),
    isStored: fields.store !== false,
    request: {
      messages,
      sampling: parseSampling(checked),
      stop: [],
      maxTokens: limitOf(checked.max_output_tokens),
      repetitionLimit: parseRepetitionDetection(checked.repetition_detection),
      choices: 1,
      topLogprobs: parseTopLogprobs(checked),
      tools: offered,
      ...(webSearch === undefined ? {} : { webSearch }),
      toolChoice: parseNamespacedChoice(fields.tool_choice, directory, webSearch?.tool),
      parallelToolCalls: mayCallInParallel(fields.tool_choice, checked.parallel_tool_calls),
      ...parseAnswerForm(fields, 'text.format', textFormat),
      reasoning,
      ...(variables === undefined ? {} : { templateVariables: variables }),
    },
  }
}

/** Collects the tools of the request and of its history. A later definition replaces an earlier one. */
function collectDirectory(sources: ReturnType<typeof sourcesOf>): ToolDirectory {
  const directory = new ToolDirectory()
  requireToolCount(sources.reduce((sum, source) => sum + countTools(source.tools), 0))
  requireToolSize(sources.map((source) => source.tools ?? null))
  for (const source of sources) registerTools(source, directory)
  return directory
}

/** Returns the lists of tools in the request and in its history. */
function sourcesOf(tools: unknown, items: readonly InputItem[]) {
  return [
    { tools, path: 'tools', isUnique: true },
    ...items
      .filter(({ type }) => type === 'additional_tools' || type === 'tool_search_output')
      .map(({ item, path }) => ({ tools: item.tools, path: `${path}.tools`, isUnique: false })),
  ]
}

function toMessages(items: readonly InputItem[], directory: ToolDirectory): ChatRequest['messages'] {
  const conversation = new Conversation()
  const lastUser = lastUserIndex(items)
  items.forEach(({ type, item, path }, index) => {
    readItem(type, item, { path, conversation, directory, isBeforeLastUser: index < lastUser })
  })
  const messages = conversation.messages()
  if (messages.length === 0) throw invalidValue('input', 'an array with at least one message')
  return messages
}

/**
 * Parses the number of alternatives. Undefined unless `include` requests log probabilities: `top_logprobs` alone does
 * not.
 */
function parseTopLogprobs({ include = [], top_logprobs }: Static<typeof ResponsesBody>): number | undefined {
  return include.includes('message.output_text.logprobs') ? (top_logprobs ?? 0) : undefined
}

/** Deepest nesting of a field: more than any message needs, and far less than overflows the stack */
const maxDepth = 256

/** Throws ApiError 400 naming the field that nests too deep: echoing it would overflow the stack. */
function requireShallow(fields: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(fields)) {
    if (isDeeperThan(value, maxDepth)) throw invalidValue(name, `nested at most ${maxDepth} levels deep`)
  }
}

/** Returns `reasoning` of the body with the effort of the history's last `configuration_update`, if any. */
function latestReasoning(reasoning: unknown, items: readonly InputItem[]): unknown {
  let latest = reasoning
  for (const { type, item, path } of items) {
    if (type !== 'configuration_update' || item.reasoning === undefined) continue
    const { effort } = presentFields(item.reasoning, `${path}.reasoning`)
    if (effort !== undefined) latest = { ...presentFields(latest ?? {}, 'reasoning'), effort }
  }
  return latest
}

/**
 * Returns true if thinking is shown as a summary, the one form that clients print; otherwise it comes as raw content.
 */
function isSummaryWanted(reasoning: unknown): boolean {
  if (!isObject(reasoning)) return false
  const { summary, generate_summary } = presentFields(reasoning)
  const wish = summary ?? generate_summary
  return wish !== undefined && wish !== 'none'
}
