/** From a canonical request to the text and format that a model's own chat template makes of it. */
import type { ChatMessage, Tool } from '../../../core/chat.ts'
import { contentText } from '../../../core/content.ts'
import { ApiError } from '../../../core/errors.ts'
import { refusedPart, refusedValue } from '../../engine-errors.ts'
import { inOrder, resultsInCallOrder, withoutOrphans } from '../../messages/message-order.ts'
import { withPicturesBehindTools } from '../../messages/tool-pictures.ts'
import type { NativeChatFormat, NativeModel, NativeTemplateInputs } from '../native.ts'
import { type MarkedPrompt, PictureMarks } from './picture-marks.ts'
import { plainWords, toTemplateMessages, toToolsJson } from './template-messages.ts'

export interface PromptRequest
  extends Pick<NativeTemplateInputs, 'toolChoice' | 'parallelToolCalls' | 'enableThinking' | 'templateVariables'> {
  readonly messages: readonly ChatMessage[]
  readonly tools: readonly Tool[]
}

export interface RenderedPrompt extends Omit<MarkedPrompt, 'missing'> {
  readonly format: NativeChatFormat
  /** Text of a last assistant message that the answer goes on with; '' when a new message begins. */
  readonly continuedText: string
}

export interface RenderingModel extends Pick<NativeModel, 'applyTemplate'> {
  /** The projector's; undefined: the model sees nothing, and no message has pictures. */
  readonly marker?: string | undefined
}

/** One way to show the messages to the template. */
interface Attempt {
  readonly messages: readonly ChatMessage[]
  readonly shortIds?: boolean
  readonly continues?: boolean
}

/**
 * Renders the template. Many templates refuse what clients send (system in the middle, two user turns in a row, ids that
 * are not their own, results of no call), or leave it out without a word: those messages are put in order and tried
 * again. What the template still refuses or leaves out of its pictures is the caller's error, with the template's own words.
 */
export async function renderPrompt(model: RenderingModel, request: PromptRequest): Promise<RenderedPrompt> {
  let reason: unknown
  let best: { readonly rendered: RenderedPrompt & MarkedPrompt; readonly missing: number } | undefined
  for (const attempt of attempts(request.messages)) {
    try {
      const marks = new PictureMarks(model.marker ?? '')
      const format = await model.applyTemplate(toInputs(request, attempt, marks))
      const marked = marks.read(format.prompt)
      const continuedText = attempt.continues === true ? contentText(attempt.messages.at(-1)?.content ?? []) : ''
      const missing = countMissing(request.messages, format.prompt) + marked.missing.length
      if (best === undefined || missing < best.missing) {
        best = { rendered: { ...marked, format, continuedText }, missing }
      }
      if (missing === 0) break
    } catch (error) {
      reason = error
      if (error instanceof ApiError) break // no other order makes it shorter
    }
  }
  if (best !== undefined) {
    const { missing, pictures } = best.rendered
    const [picture] = missing
    if (picture !== undefined) throw refusedPart(picture.param, pictures.includes(picture) ? shownTwice : shownNowhere)
    return best.rendered
  }
  if (reason instanceof ApiError) throw reason
  const words = reason instanceof Error ? reason.message : String(reason)
  throw refusedValue(`The model's chat template refuses these messages: ${words}`, 'messages', reason)
}

const shownTwice = "is an image, which this model's chat template shows more than once. Choose another model"
const shownNowhere =
  "is an image, which this model's chat template does not show there. Put it into a message of the user"

/** To look for a text in all of a long prompt takes milliseconds: only so many are looked for there. */
const mostWholeSearches = 64

/**
 * Messages that templates like to drop, and of which the prompt holds nothing. Looks for each behind the one before it,
 * where it mostly is, and then in all of the prompt.
 */
function countMissing(messages: readonly ChatMessage[], prompt: string): number {
  let missing = 0
  let position = 0
  let wholeSearches = 0
  for (const [index, { role, content }] of messages.entries()) {
    if (role !== 'tool' && (role !== 'system' || index === 0)) continue
    const words = plainWords(contentText(content))
    const found = prompt.indexOf(words, position)
    if (found >= 0) position = found
    else if (wholeSearches++ >= mostWholeSearches) return missing
    else if (!prompt.includes(words)) missing++
  }
  return missing
}

function* attempts(given: readonly ChatMessage[]): Generator<Attempt> {
  const messages = resultsInCallOrder(given)
  yield* orders(messages)
  const moved = withPicturesBehindTools(messages)
  if (moved !== messages) yield* orders(moved)
}

function* orders(messages: readonly ChatMessage[]): Generator<Attempt> {
  const ordered = inOrder(messages)
  const last = messages.at(-1)
  if (last?.role === 'assistant' && last.toolCalls === undefined) {
    yield { messages, continues: true }
    yield { messages: ordered, continues: true }
  }
  yield { messages }
  yield { messages: ordered }
  if (!messages.some((message) => message.role === 'tool' || message.toolCalls !== undefined)) return
  yield { messages: ordered, shortIds: true }
  yield { messages: inOrder(withoutOrphans(ordered)), shortIds: true }
}

function toInputs(
  { messages: _, tools, ...settings }: PromptRequest,
  { messages, shortIds = false, continues = false }: Attempt,
  marks: PictureMarks,
): NativeTemplateInputs {
  return {
    ...settings,
    messagesJson: JSON.stringify(toTemplateMessages(messages, shortIds, marks)),
    toolsJson: toToolsJson(tools),
    addGenerationPrompt: !continues,
    continueFinalMessage: continues,
  }
}
