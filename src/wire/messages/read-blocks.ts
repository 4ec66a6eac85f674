import { Type } from '@sinclair/typebox'
import { check, invalidValue, optionalText, presentFields } from '../check.ts'

/** A content block as it came. */
export interface Block {
  readonly type: string
  /** Those that are not null, `type` included; unchecked. */
  readonly fields: Readonly<Record<string, unknown>>
  /** Dotted place in the request body. */
  readonly path: string
}

const BlockType = Type.Object({ type: Type.String({ description: 'a string such as "text"' }) })
const TextFields = Type.Object({ text: optionalText })

/** Content as blocks: a string is one text block, absent content is none, and so is a block that is null. Throws ApiError 400 when it is neither that nor an array of blocks. */
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

/** The text of a text block. What else it carries (cache hints, citations) changes nothing. */
export function textOf({ fields, path }: Block): string {
  return (check(TextFields, fields, path).text ?? '').toWellFormed()
}

/** Content that may hold text alone. Throws ApiError 400 naming the first other block, except those `passedOver`. */
export function textsOf(content: unknown, path: string, passedOver: (block: Block) => boolean = () => false): string[] {
  const blocks = readBlocks(content, path).filter((block) => !passedOver(block))
  return blocks.map((block) => {
    if (block.type !== 'text') throw invalidValue(`${block.path}.type`, '"text"')
    return textOf(block)
  })
}
