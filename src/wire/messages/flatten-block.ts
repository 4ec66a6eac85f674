import { Type } from '@sinclair/typebox'
import type { SentDocumentPart, SentImagePart } from '../../core/content.ts'
import { isObject } from '../../core/json.ts'
import { withoutControlTokens } from '../../core/web-search.ts'
import { type ContentPiece, joinTexts } from '../chat/content-pieces.ts'
import { isImageType } from '../chat/read-image.ts'
import { openSnippet } from '../chat/search-tool.ts'
import { check, invalidValue, optionalText, presentFields } from '../check.ts'
import { unsupportedContent } from '../unsupported.ts'
import { type Block, readBlocks, textOf, textsOf } from './read-blocks.ts'

const DocumentFields = Type.Object({
  source: Type.Unknown({ description: 'an object' }),
  title: optionalText,
  context: optionalText,
})
const SourceFields = Type.Object({ type: Type.String({ description: 'a string such as "text"' }) })
const TextSource = Type.Object({ data: Type.String({ description: 'a string' }) })
const SearchResultFields = Type.Object({ source: optionalText, title: optionalText })

/**
 * Returns a document as its title, context, text and pictures, line by line, or its file. Throws ApiError 400 for one with none of
 * these.
 */
export function documentPieces(block: Block, readers: PartReaders): ContentPiece[] {
  const { title, context, source } = check(DocumentFields, block.fields, block.path)
  const pieces = [joinLines(title, context), ...sourcePieces(source, block, readers)]
  return joinTexts(
    pieces.filter((piece) => piece !== ''),
    '\n',
  )
}

/** Readers of a picture block, and of a document block with a file. */
interface PartReaders {
  readonly picture: (block: Block) => SentImagePart
  readonly document: (block: Block) => SentDocumentPart | string
}

function sourcePieces(value: unknown, block: Block, readers: PartReaders): ContentPiece[] {
  const path = `${block.path}.source`
  const source = presentFields(value, path)
  const { type } = check(SourceFields, source, path)
  if (type === 'text') return [check(TextSource, source, path).data.toWellFormed()]
  if (fileSources.includes(type)) return [readers.document(block)]
  if (type !== 'content') throw unsupportedContent(block.path, `a document with a source of type '${type}'`)
  const pieces = readBlocks(source.content, `${path}.content`).map((inner) => {
    if (isImageType(inner.type)) return readers.picture(inner)
    if (inner.type === 'text') return textOf(inner)
    throw invalidValue(`${inner.path}.type`, '"text" or "image"')
  })
  return joinTexts(pieces, '\n')
}

/** Types of sources that are files. */
const fileSources = ['base64', 'url', 'file']
const readableSources = [...fileSources, 'text', 'content']

/** Returns whether the block is a document with a source of a known type. */
export function isReadableDocument({ fields: { source } }: Block): boolean {
  return isObject(source) && typeof source.type === 'string' && readableSources.includes(source.type)
}

/** Returns a search result as its title, source and text, line by line. */
export function searchResultText({ fields, path }: Block): string {
  const { title, source } = check(SearchResultFields, fields, path)
  if (fields.content === undefined) throw invalidValue(`${path}.content`, 'an array of text blocks')
  return joinLines(title, source, ...textsOf(fields.content, `${path}.content`))
}

/**
 * Returns whether the block comes from a tool in the vendor's servers or another of its extensions. Conversations
 * that began there contain such blocks.
 */
export function isServerBlock({ type }: Block): boolean {
  return (type.endsWith('_tool_result') && type !== 'tool_result') || serverTypes.includes(type)
}

const serverTypes = [
  ...['server_tool_use', 'mcp_tool_use', 'mcp_tool_listing', 'container_upload', 'compaction', 'fallback'],
  ...['tool_addition', 'tool_removal'],
]

/** Fields with readable text. Others are ids, signatures and sealed text. */
const readableFields = ['title', 'url', 'text', 'stdout', 'stderr', 'error_code', 'content']
const maxDepth = 6

/** Returns the text of a server block, '' for one without. Never throws, since a client cannot change the history. */
export function serverBlockText({ type, fields }: Block): string {
  const text = readable(fields.content, 0).toWellFormed()
  return type === 'web_search_tool_result' ? withoutControlTokens(text) : text
}

function readable(value: unknown, depth: number): string {
  if (typeof value === 'string') return value
  if (depth > maxDepth) return ''
  const fields = isObject(value) ? readableFields.map((name) => value[name]) : []
  const parts: readonly unknown[] = Array.isArray(value) ? value : [...fields, snippetOf(value)]
  return joinLines(...parts.map((part) => readable(part, depth + 1)))
}

/** Returns the snippet of a search result that this server made. */
function snippetOf(value: unknown): string | undefined {
  if (!isObject(value) || value.type !== 'web_search_result') return undefined
  return typeof value.encrypted_content === 'string' ? openSnippet(value.encrypted_content) : undefined
}

function joinLines(...lines: readonly (string | undefined)[]): string {
  return lines
    .filter((line) => line !== undefined && line !== '')
    .join('\n')
    .toWellFormed()
}
