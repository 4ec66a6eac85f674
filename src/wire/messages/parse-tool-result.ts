import { Type } from '@sinclair/typebox'
import type { ChatMessage } from '../../core/chat.ts'
import { textContent } from '../../core/content.ts'
import { check } from '../check.ts'
import { documentText, searchResultText } from './flatten-block.ts'
import { type Block, readBlocks, textOf } from './read-blocks.ts'

const ToolResultFields = Type.Object({
  tool_use_id: Type.String({ description: 'the id of a tool_use block' }),
  content: Type.Optional(Type.Unknown()),
})

/**
 * A tool_result block as the message of a tool. Agents do not choose what their tools return, so whatever is no text is
 * left out in words that the model can read; `is_error` adds nothing to the text. Throws ApiError 400.
 */
export function parseToolResult({ fields, path }: Block): ChatMessage & { readonly toolCallId: string } {
  const result = check(ToolResultFields, fields, path)
  const blocks = result.content === undefined ? [] : readBlocks(result.content, `${path}.content`)
  return {
    role: 'tool',
    content: textContent(blocks.map(resultText).join('\n')),
    toolCallId: result.tool_use_id.toWellFormed(),
  }
}

function resultText(block: Block): string {
  switch (block.type) {
    case 'text':
      return textOf(block)
    case 'search_result':
      return searchResultText(block)
    case 'document':
      return isTextDocument(block) ? documentText(block) : omitted(block)
    case 'tool_reference':
      return typeof block.fields.tool_name === 'string' ? block.fields.tool_name.toWellFormed() : omitted(block)
    default:
      return omitted(block)
  }
}

function isTextDocument({ fields: { source } }: Block): boolean {
  const type = typeof source === 'object' && source !== null && 'type' in source ? source.type : undefined
  return type === 'text' || type === 'content'
}

function omitted({ type }: Block): string {
  return `[${type.slice(0, 64).toWellFormed()} omitted: this model reads text only]`
}
