import type { ChatMessage } from '../../core/chat.ts'
import { textContent } from '../../core/content.ts'
import { invalidValue } from '../check.ts'
import { documentText, isServerBlock, searchResultText, serverBlockText } from './flatten-block.ts'
import { parseToolResult } from './parse-tool-result.ts'
import { type Block, textOf, unsupportedBlock } from './read-blocks.ts'

/**
 * A user's blocks: first a tool's message for each result, then one user message with the rest, wherever between the
 * results it stood; none when there are results only. `callIds` are those of the calls so far. Throws ApiError 400.
 */
export function parseUser(blocks: readonly Block[], callIds: ReadonlySet<string>): ChatMessage[] {
  const isResult = (block: Block) => block.type === 'tool_result'
  const results = blocks.filter(isResult).map((block) => {
    const result = parseToolResult(block)
    if (callIds.has(result.toolCallId)) return result
    throw invalidValue(`${block.path}.tool_use_id`, 'the id of a tool_use block in an earlier message')
  })
  const rest = blocks.filter((block) => !isResult(block))
  if (rest.length === 0 && results.length > 0) return results
  return [...results, { role: 'user', content: textContent(rest.flatMap(userText).join('\n')) }]
}

function userText(block: Block): string | [] {
  switch (block.type) {
    case 'text':
      return textOf(block)
    case 'document':
      return documentText(block)
    case 'search_result':
      return searchResultText(block)
    case 'image':
      throw unsupportedBlock(block, "of type 'image'")
    default:
      if (isServerBlock(block)) return serverBlockText(block) || []
      throw invalidValue(`${block.path}.type`, '"text", "tool_result", "document" or "search_result" in a user message')
  }
}
