/** Rendering of a canonical request by the model's own chat template. */
import type { ChatMessage, Tool } from '../../../core/chat.ts'
import { contentText } from '../../../core/content.ts'
import { errorText } from '../../../core/error-text.ts'
import { ApiError } from '../../../core/errors.ts'
import { refusedPart, refusedValue } from '../../shared/engine-errors.ts'
import { continuedText, normalizeHistory } from '../../shared/messages/normalize-history.ts'
import { plainestAbilities, type TemplateAbilities } from '../../shared/messages/template-abilities.ts'
import type { NativeChatFormat, NativeModel, NativeTemplateInputs } from '../native.ts'
import { type MarkedPrompt, type MediumPart, PictureMarks } from './picture-marks.ts'
import { withSeparateThinking } from './separate-thinking.ts'
import { plainWords, toTemplateMessages, toToolsJson } from './template-messages.ts'

export interface PromptRequest
  extends Pick<NativeTemplateInputs, 'toolChoice' | 'parallelToolCalls' | 'enableThinking' | 'templateVariables'> {
  readonly messages: readonly ChatMessage[]
  readonly tools: readonly Tool[]
  /** True to end the prompt with the last message, without the beginning of an answer. */
  readonly isClosed?: boolean | undefined
}

export interface RenderedPrompt extends Omit<MarkedPrompt, 'missing'> {
  readonly format: NativeChatFormat
  /** Text of a last assistant message that the answer continues; '' if a new message begins. */
  readonly continuedText: string
}

export interface RenderingModel extends Pick<NativeModel, 'applyTemplate'> {
  readonly abilities: TemplateAbilities
  /** Marker of the projector. Undefined for a model that reads text alone. */
  readonly marker?: string | undefined
}

/** One way to present the messages to the template. */
interface Attempt {
  readonly messages: readonly ChatMessage[]
  readonly shortIds: boolean
  readonly continues: boolean
}

/**
 * Renders the history in the shape that the template supports. If it refuses that or leaves a message out, tries the
 * plainest shape too. Throws ApiError 400 with the template's own words if it refuses both, and for a picture that it
 * does not show.
 */
export async function renderPrompt(model: RenderingModel, request: PromptRequest): Promise<RenderedPrompt> {
  let reason: unknown
  let best: { readonly rendered: RenderedPrompt & MarkedPrompt; readonly missing: number } | undefined
  for (const attempt of attempts(request, model.abilities)) {
    try {
      const marks = new PictureMarks(model.marker ?? '')
      const format = withSeparateThinking(await model.applyTemplate(toInputs(request, attempt, marks)))
      const marked = marks.read(format.prompt)
      const missing = countMissing(request.messages, format.prompt) + marked.missing.length
      if (best === undefined || missing < best.missing) {
        const continued = attempt.continues ? continuedText(attempt.messages) : ''
        best = { rendered: { ...marked, format, continuedText: continued }, missing }
      }
      if (missing === 0) break
    } catch (error) {
      reason = error
      if (error instanceof ApiError) break // the prompt is as long in any shape
    }
  }
  if (best !== undefined) {
    const { missing, pictures } = best.rendered
    const [picture] = missing
    if (picture !== undefined) throw notShown(picture, pictures.includes(picture))
    return best.rendered
  }
  if (reason instanceof ApiError) throw reason
  const words = errorText(reason)
  throw refusedValue(`The model's chat template refuses these messages: ${words}`, 'messages', reason)
}

function notShown({ type, param }: MediumPart, isShownTwice: boolean): ApiError {
  const subject = `is ${type === 'image' ? 'an image' : 'a recording'}, which this model's chat template`
  if (isShownTwice) return refusedPart(param, `${subject} shows more than once. Choose another model`)
  return refusedPart(param, `${subject} does not show there. Put it into a message of the user`)
}

/** Most searches over all of a long prompt, which take milliseconds each. */
const mostWholeSearches = 64

/**
 * Returns the number of messages missing in the prompt. Looks for each after the previous one, where it mostly is, then
 * in the whole prompt. Skips assistant messages, because templates cut thinking out of them.
 */
function countMissing(messages: readonly ChatMessage[], prompt: string): number {
  let missing = 0
  let position = 0
  let wholeSearches = 0
  for (const { role, content } of messages) {
    if (role === 'assistant') continue
    const words = plainWords(contentText(content))
    const found = prompt.indexOf(words, position)
    if (found >= 0) position = found
    else if (wholeSearches++ >= mostWholeSearches) return missing
    else if (!prompt.includes(words)) missing++
  }
  return missing
}

function* attempts(
  { messages: given, isClosed = false }: Pick<PromptRequest, 'messages' | 'isClosed'>,
  learned: TemplateAbilities,
): Generator<Attempt> {
  for (const abilities of [learned, { ...plainestAbilities, tools: learned.tools }]) {
    const messages = normalizeHistory(given, abilities)
    const shortIds = !abilities.anyIds
    if (!isClosed && continuedText(messages) !== '') yield { messages, shortIds, continues: true }
    yield { messages, shortIds, continues: false }
  }
}

function toInputs(
  { messages: _, tools, isClosed = false, ...settings }: PromptRequest,
  { messages, shortIds, continues }: Attempt,
  marks: PictureMarks,
): NativeTemplateInputs {
  return {
    ...settings,
    messagesJson: JSON.stringify(toTemplateMessages(messages, shortIds, marks)),
    toolsJson: toToolsJson(tools),
    addGenerationPrompt: !continues && !isClosed,
    continueFinalMessage: continues,
  }
}
