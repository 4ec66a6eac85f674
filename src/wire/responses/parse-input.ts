import { invalidValue, missing, presentFields } from '../check.ts'
import type { FindItem } from '../dialect.ts'
import { ItemReferences } from './item-references.ts'
import { type Item, isFromUser, itemType } from './read-item.ts'

export interface InputItem {
  readonly type: string
  readonly item: Item
  /** Dotted place in the body. */
  readonly path: string
}

/** Items, and content parts of all items together. Each costs time before a model sees it, and a body has room for millions. */
const maxItems = 65_536

/**
 * The items of `instructions` and `input`, in order: text stands for one message, and a reference for the item that it
 * names. Throws ApiError 400 for a body without either, for items that do not say what they are, and for references to
 * items that are not known.
 */
export function parseInput(
  { instructions, input }: Readonly<Record<string, unknown>>,
  findItem: FindItem,
): InputItem[] {
  const references = new ItemReferences(findItem)
  const items = [
    ...toItems(instructions, 'instructions', 'system', references),
    ...toItems(input, 'input', 'user', references),
  ]
  if (items.length === 0) throw missing('input', 'a string or an array of items')
  if (countParts(items) > maxItems) throw tooMany
  return items
}

const tooMany = invalidValue('input', `an array with at most ${maxItems} items and content parts in all`)

function toItems(value: unknown, path: string, role: 'system' | 'user', references: ItemReferences): InputItem[] {
  if (value === undefined) return []
  // Instructions of no words are none; a user may well say nothing.
  if (typeof value === 'string') {
    if (value === '' && role === 'system') return []
    return [{ type: 'message', item: { role, content: value }, path }]
  }
  if (!Array.isArray(value)) throw invalidValue(path, 'a string or an array of items')
  // Before looking at any of them.
  if (value.length > maxItems) throw tooMany
  return value.map((entry, index) => {
    const place = `${path}[${index}]`
    const item = references.resolve(presentFields(entry, place), place)
    return { type: itemType(item, place), item, path: place }
  })
}

function countParts(items: readonly InputItem[]): number {
  let count = items.length
  for (const { item } of items) {
    for (const field of [item.content, item.output]) if (Array.isArray(field)) count += field.length
  }
  return count
}

/** Position of the last item that is a message of the user, -1 when there is none. */
export function lastUserIndex(items: readonly InputItem[]): number {
  return items.findLastIndex(({ item, type }) => isFromUser(item, type))
}
