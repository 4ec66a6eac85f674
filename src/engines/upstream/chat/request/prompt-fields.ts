/** Raw prompts in the servers' formats. */
import type { ChatRequest, RawPrompt } from '../../../../core/chat.ts'
import { unreachable } from '../../../../core/unreachable.ts'
import { unsupportedParameter } from '../../../shared/engine-errors.ts'
import type { ServerCall } from '../../server-path.ts'
import type { Abilities, ChatForm } from '../chat-form.ts'

interface PromptOptions {
  readonly request: ChatRequest
  readonly abilities: Abilities
  readonly row: Pick<ChatForm, 'fill'>
}

/**
 * Returns the path and fields of the prompt. The echo of a text is added by the reader. Throws ApiError
 * `unsupported_parameter`.
 */
export function promptFields(prompt: RawPrompt, { request, abilities, row }: PromptOptions): ServerCall {
  const path = '/completions'
  if (!abilities.prompts) {
    throw unsupportedParameter(prompt.param, ' by the servers of this model. Use POST /v1/chat/completions.')
  }
  switch (prompt.kind) {
    case 'text':
      return { path, body: { prompt: prompt.text } }
    case 'tokens': {
      const echoes = request.echoesPrompt === true
      if (echoes && !abilities.tokenEcho) {
        throw unsupportedParameter('echo', ' for token ids by the servers of this model. Leave it out, or send a text.')
      }
      return { path, body: { prompt: prompt.tokens, ...(echoes && { echo: true }) } }
    }
    case 'fill': {
      const { prefix, suffix } = prompt
      if (row.fill === 'suffix') return { path, body: { prompt: prefix, suffix } }
      if (row.fill === 'infill') {
        return { path: '/infill', isAtRoot: true, body: { input_prefix: prefix, input_suffix: suffix } }
      }
      throw unsupportedParameter('suffix', ' by the servers of this model. Leave it out, or choose another model.')
    }
    default:
      return unreachable(prompt)
  }
}
