import { sealReasoning } from '../chat/sealed-reasoning.ts'
import type { WireLogprob } from '../chat/to-logprobs.ts'
import type { AnswerItem } from '../dialect.ts'
import type { ItemStatus } from './output-item.ts'

export interface TextItemFields {
  readonly id: string
  /** Absent while the item is empty. */
  readonly part: object | undefined
  readonly text: string
  readonly status: ItemStatus
}

/** What tells messages and the two ways of showing thinking apart. */
export interface TextForm {
  readonly idPrefix: string
  readonly events: {
    readonly partAdded: string
    readonly delta: string
    readonly textDone: string
    readonly partDone: string
  }
  readonly indexField: 'content_index' | 'summary_index'
  /** Whether deltas carry log probabilities, if only an empty list. */
  readonly hasLogprobs: boolean
  part(text: string, logprobs: readonly WireLogprob[]): object
  item(fields: TextItemFields): AnswerItem
}

export const messageForm: TextForm = {
  idPrefix: 'msg_',
  events: {
    partAdded: 'response.content_part.added',
    delta: 'response.output_text.delta',
    textDone: 'response.output_text.done',
    partDone: 'response.content_part.done',
  },
  indexField: 'content_index',
  hasLogprobs: true,
  part: (text, logprobs) => ({ type: 'output_text', text, annotations: [], logprobs }),
  item: ({ id, part, status }) => ({ id, type: 'message', role: 'assistant', status, content: listOf(part) }),
}

export interface ReasoningStyle {
  readonly isSummary: boolean
  readonly isSealed: boolean
}

/**
 * Thinking as a summary, which clients show, or as raw content, which they keep to themselves; never as both.
 * `isSealed` adds it as a token for clients that keep neither.
 */
export function reasoningForm(options: ReasoningStyle): TextForm {
  const { isSummary, isSealed } = options
  const item = (summary: object[], content: object[], { id, part, text, status }: TextItemFields) => ({
    id,
    type: 'reasoning',
    summary,
    content,
    ...(part === undefined ? {} : { encrypted_content: isSealed ? sealReasoning(text) : null }),
    status,
  })
  if (isSummary) {
    return {
      idPrefix: 'rs_',
      events: {
        partAdded: 'response.reasoning_summary_part.added',
        delta: 'response.reasoning_summary_text.delta',
        textDone: 'response.reasoning_summary_text.done',
        partDone: 'response.reasoning_summary_part.done',
      },
      indexField: 'summary_index',
      hasLogprobs: false,
      part: (text) => ({ type: 'summary_text', text }),
      item: (fields) => item(listOf(fields.part), [], fields),
    }
  }
  return {
    idPrefix: 'rs_',
    events: {
      partAdded: 'response.content_part.added',
      delta: 'response.reasoning_text.delta',
      textDone: 'response.reasoning_text.done',
      partDone: 'response.content_part.done',
    },
    indexField: 'content_index',
    hasLogprobs: false,
    part: (text) => ({ type: 'reasoning_text', text }),
    item: (fields) => item([], listOf(fields.part), fields),
  }
}

function listOf(part: object | undefined): object[] {
  return part === undefined ? [] : [part]
}
