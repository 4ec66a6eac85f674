/** From canonical messages to the text and format a model's own chat template makes of them. */
import type { ChatMessage } from '../../core/chat.ts'
import { ApiError } from '../../core/errors.ts'
import type { NativeChatFormat, NativeModel } from './native.ts'

export interface PromptOptions {
  readonly enableThinking: boolean
}

/**
 * Renders the template. Many templates refuse message orders that clients send (system in the middle, two user turns
 * in a row): those messages are put in order and tried once more. What the template still refuses is the caller's
 * error, with the template's own words.
 */
export async function renderPrompt(
  model: Pick<NativeModel, 'applyTemplate'>,
  messages: readonly ChatMessage[],
  { enableThinking }: PromptOptions,
): Promise<NativeChatFormat> {
  const render = (ordered: readonly ChatMessage[], continueFinalMessage: boolean) =>
    model.applyTemplate({
      messagesJson: JSON.stringify(ordered.map(toTemplateMessage)),
      toolsJson: '',
      toolChoice: 'none',
      parallelToolCalls: false,
      jsonSchema: '',
      enableThinking,
      templateVariables: {},
      addGenerationPrompt: !continueFinalMessage,
      continueFinalMessage,
    })
  const ordered = inOrder(messages)
  const endsWithAssistant = messages.at(-1)?.role === 'assistant'
  const attempts = [
    ...(endsWithAssistant ? [() => render(messages, true), () => render(ordered, true)] : []),
    () => render(messages, false),
    () => render(ordered, false),
  ]
  let reason: unknown
  for (const attempt of attempts) {
    try {
      return await attempt()
    } catch (error) {
      reason = error
    }
  }
  const words = reason instanceof Error ? reason.message : String(reason)
  throw new ApiError('invalid_request', `The model's chat template refuses these messages: ${words}`, {
    code: 'invalid_value',
    param: 'messages',
    cause: reason,
  })
}

/** System messages joined into one at the front; neighbours of the same role joined. */
export function inOrder(messages: readonly ChatMessage[]): ChatMessage[] {
  const system = messages.filter((message) => message.role === 'system').map((message) => message.content)
  const ordered: ChatMessage[] = system.length === 0 ? [] : [{ role: 'system', content: system.join('\n\n') }]
  for (const message of messages) {
    if (message.role === 'system') continue
    const last = ordered.at(-1)
    if (last !== undefined && last.role === message.role && message.role !== 'tool') {
      ordered[ordered.length - 1] = { ...last, content: `${last.content}\n\n${message.content}` }
    } else ordered.push(message)
  }
  return ordered
}

/** llama.cpp reads messages in the chat-completions shape. */
function toTemplateMessage({ role, content, name, reasoning }: ChatMessage): Record<string, string> {
  return {
    role,
    content,
    ...(name === undefined ? {} : { name }),
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
  }
}
