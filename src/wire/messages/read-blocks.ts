import { Type } from '@sinclair/typebox'
import { check, invalidValue, optionalText, presentFields } from '../check.ts'

/** Content block as received. */
export interface Block {
  readonly type: string
  /** Non-null fields, including `type`. Unchecked. */
  readonly fields: Readonly<Record<string, unknown>>
  /** Dotted path in the request body. */
  readonly path: string
}

const BlockType = Type.Object({ type: Type.String({ description: 'a string such as "text"' }) })
const TextFields = Type.Object({ text: optionalText })

/**
 * Reads content as blocks. A string is one text block; absent content and null blocks are skipped. Throws ApiError 400
 * unless it is a string or an array of blocks.
 */
export function readBlocks(content: unknown, path: string): Block[] {
  if (content === undefined || content === null) return []
  if (typeof content === 'string') return [{ type: 'text', fields: { type: 'text', text: content }, path }]
  if (!Array.isArray(content)) throw invalidValue(path, 'a string or an array of content blocks')
  return content.flatMap((value, index) => {
    if (value === null) return []
    const place = `${path}[${index}]`
    const fields = presentFields(value, place)
    return [{ type: check(BlockType, fields, place).type, fields, path: place }]
  })
}

/** Returns the text of a text block. Its other fields (cache hints, citations) have no effect. */
export function textOf({ fields, path }: Block): string {
  return (check(TextFields, fields, path).text ?? '').toWellFormed()
}

/**
 * Returns the texts of content that may hold only text. Skips blocks for which `passedOver` is true. Throws ApiError
 * 400 that names the first block of another type.
 */
export function textsOf(content: unknown, path: string, passedOver: (block: Block) => boolean = () => false): string[] {
  const blocks = readBlocks(content, path).filter((block) => !passedOver(block))
  return blocks.map((block) => {
    if (block.type !== 'text') throw invalidValue(`${block.path}.type`, '"text"')
    return textOf(block)
  })
}
