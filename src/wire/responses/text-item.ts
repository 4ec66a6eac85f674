import { sealReasoning } from '../chat/sealed-reasoning.ts'
import { toLogprobs, type WireLogprob } from '../chat/to-logprobs.ts'
import type { AnswerItem } from '../dialect.ts'
import { toJsonLine } from '../sse-frame.ts'
import type { ItemPlace, ItemStatus, OutputItem } from './output-item.ts'

/** Differences between messages and the two forms of shown reasoning. */
export interface TextForm {
  readonly idPrefix: string
  /** Prefixes of event names. */
  readonly partEvent: string
  readonly textEvent: string
  readonly indexField: 'content_index' | 'summary_index'
  /** True if deltas carry log probabilities, even an empty list. */
  readonly hasLogprobs: boolean
  part(text: string, logprobs: readonly WireLogprob[], annotations: readonly object[]): object
  /** Returns the item. `parts` is empty as long as the item has no text. */
  item(fields: { id: string; parts: readonly object[]; text: string; status: ItemStatus }): AnswerItem
}

export const messageForm: TextForm = {
  idPrefix: 'msg_',
  partEvent: 'response.content_part',
  textEvent: 'response.output_text',
  indexField: 'content_index',
  hasLogprobs: true,
  part: (text, logprobs, annotations) => ({ type: 'output_text', text, annotations, logprobs }),
  item: ({ id, parts, status }) => ({ id, type: 'message', role: 'assistant', status, content: parts }),
}

export interface ReasoningStyle {
  readonly isSummary: boolean
  readonly isSealed: boolean
}

/**
 * Returns the form of reasoning: a summary, which clients show, or raw content, which they hide; never both. `isSealed`
 * adds it as a token for clients that keep neither.
 */
export function reasoningForm({ isSummary, isSealed }: ReasoningStyle): TextForm {
  return {
    idPrefix: 'rs_',
    partEvent: isSummary ? 'response.reasoning_summary_part' : 'response.content_part',
    textEvent: isSummary ? 'response.reasoning_summary_text' : 'response.reasoning_text',
    indexField: isSummary ? 'summary_index' : 'content_index',
    hasLogprobs: false,
    part: (text) => ({ type: isSummary ? 'summary_text' : 'reasoning_text', text }),
    item: ({ id, parts, text, status }) => ({
      id,
      type: 'reasoning',
      summary: isSummary ? parts : [],
      content: isSummary ? [] : parts,
      ...(parts.length === 0 ? {} : { encrypted_content: isSealed ? sealReasoning(text) : null }),
      status,
    }),
  }
}

/** Returns a message or reasoning item, which has one part of text. */
export function textItem(
  form: TextForm,
  { writer, newId, outputIndex }: ItemPlace,
  citationsIn: (text: string) => readonly object[] = () => [],
): OutputItem {
  const { partEvent, textEvent, hasLogprobs } = form
  const id = newId(form.idPrefix)
  const position = { item_id: id, output_index: outputIndex, [form.indexField]: 0 }
  const delta = writer.deltas(`${textEvent}.delta`, position)
  const logprobs: WireLogprob[] = []
  let text = ''
  let citations: readonly object[] = []

  const part = () => form.part(text, logprobs, citations)
  const value = (status: ItemStatus) => form.item({ id, parts: [part()], text, status })
  const cite = () => {
    citations = form === messageForm ? citationsIn(text) : []
    return citations.map((annotation, index) =>
      writer.event(`${textEvent}.annotation.added`, { ...position, annotation_index: index, annotation }),
    )
  }
  const close = (status: ItemStatus) => [
    ...cite(),
    writer.event(`${textEvent}.done`, { ...position, text, ...(hasLogprobs ? { logprobs } : {}) }),
    writer.event(`${partEvent}.done`, { ...position, part: part() }),
    writer.done(outputIndex, value(status)),
  ]

  return {
    open: () => [
      writer.added(outputIndex, form.item({ id, parts: [], text: '', status: 'in_progress' })),
      writer.event(`${partEvent}.added`, { ...position, part: form.part('', [], []) }),
    ],
    add: (more, tokens) => {
      text += more
      if (!hasLogprobs) return [delta(more)]
      if (tokens === undefined) return [delta(more, ',"logprobs":[]')]
      const { content } = toLogprobs(tokens)
      for (const token of content) logprobs.push(token)
      return [delta(more, `,"logprobs":${toJsonLine(content)}`)]
    },
    complete: () => close('completed'),
    // Clients show the content of the last events, also of a cut answer.
    cut: () => close('incomplete'),
    value,
  }
}
