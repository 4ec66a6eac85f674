import { Type } from '@sinclair/typebox'
import type { ChatMessage } from '../../core/chat.ts'
import { isObject } from '../../core/json.ts'
import { type ContentPiece, toContent } from '../chat/content-pieces.ts'
import { readDocument, readToolDocument } from '../chat/read-document.ts'
import { isImageType, readImage, readToolImage } from '../chat/read-image.ts'
import { check, invalidValue, optionalAny, optionalText } from '../check.ts'
import {
  documentPieces,
  isReadableDocument,
  isServerBlock,
  searchResultText,
  serverBlockText,
} from './flatten-block.ts'
import { type Block, readBlocks, textOf } from './read-blocks.ts'

/**
 * Returns a user's blocks as messages: first a tool message per result, then one user message with all other blocks,
 * wherever they stood, unless there are only results. Throws ApiError 400.
 */
export function parseUser(blocks: readonly Block[]): ChatMessage[] {
  const isResult = (block: Block) => block.type === 'tool_result'
  const results = blocks.filter(isResult).map(parseToolResult)
  const rest = blocks.filter((block) => !isResult(block))
  if (rest.length === 0 && results.length > 0) return results
  return [...results, { role: 'user', content: toContent(rest.flatMap(userPieces), '\n') }]
}

function userPieces(block: Block): ContentPiece | ContentPiece[] {
  switch (block.type) {
    case 'text':
      return textOf(block)
    case 'document':
      return documentPieces(block, userParts)
    case 'search_result':
      return searchResultText(block)
    default:
      if (isImageType(block.type)) return userPicture(block)
      if (isServerBlock(block)) return serverBlockText(block) || []
      throw invalidValue(`${block.path}.type`, `${userTypes} in a user message`)
  }
}

const userTypes = '"text", "image", "tool_result", "document" or "search_result"'

const userPicture = ({ fields, path }: Block) => readImage(fields, path, 'source')
const toolPicture = ({ fields, path }: Block) => readToolImage(fields, path)
const userParts = { picture: userPicture, document: ({ fields, path }: Block) => readDocument(fields, path, 'source') }
const toolParts = {
  picture: toolPicture,
  document: (block: Block) => readToolDocument(block.fields, block.path) ?? omitted(block),
}

const ToolResultFields = Type.Object({
  tool_use_id: optionalText,
  content: optionalAny,
})

/**
 * Returns a tool_result block as a tool message. Agents do not choose what their tools return, so parts other than
 * text and pictures are replaced by words for the model. `is_error` does not change the text. Throws ApiError 400.
 */
function parseToolResult({ fields, path }: Block): ChatMessage {
  const result = check(ToolResultFields, fields, path)
  const given = isObject(result.content) ? JSON.stringify(result.content) : result.content
  const blocks = readBlocks(given, `${path}.content`)
  return {
    role: 'tool',
    content: toContent(blocks.flatMap(resultPieces), '\n'),
    ...(result.tool_use_id !== undefined && { toolCallId: result.tool_use_id.toWellFormed() }),
  }
}

function resultPieces(block: Block): ContentPiece | ContentPiece[] {
  switch (block.type) {
    case 'text':
      return textOf(block)
    case 'search_result':
      return searchResultText(block)
    case 'document':
      return isReadableDocument(block) ? documentPieces(block, toolParts) : omitted(block)
    case 'tool_reference':
      return typeof block.fields.tool_name === 'string' ? block.fields.tool_name.toWellFormed() : omitted(block)
    default:
      return isImageType(block.type) ? toolPicture(block) : omitted(block)
  }
}

function omitted({ type }: Block): string {
  return `[${type.slice(0, 64).toWellFormed()} omitted: this model cannot read it]`
}
