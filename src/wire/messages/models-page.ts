/** GET /models for clients of the messages dialect: in pages, with rows of type `model`. */
import { invalidValue } from '../check.ts'

interface Row {
  readonly id: string
  readonly type: string
  readonly context_length?: number
  readonly max_completion_tokens?: number
  readonly capabilities?: object
  readonly architecture?: { readonly input_modalities: readonly string[] }
}

interface PageQuery {
  /** Most rows of a page */
  readonly limit: number
  /** Id of the row before the page. `beforeId` is that of the row after the page. */
  readonly afterId: string | undefined
  readonly beforeId: string | undefined
}

const maxRows = 1_000

/**
 * Parses `limit`, `after_id` and `before_id` of a query. Without a limit a page has the most rows allowed. Throws
 * ApiError 400.
 */
export function parsePageQuery(query: URLSearchParams): PageQuery {
  const text = query.get('limit') ?? String(maxRows)
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > maxRows) throw invalidValue('limit', `an integer from 1 to ${maxRows}`)
  const afterId = query.get('after_id') ?? undefined
  const beforeId = query.get('before_id') ?? undefined
  if (afterId !== undefined && beforeId !== undefined)
    throw invalidValue('before_id', "left out where there is 'after_id'")
  return { limit, afterId, beforeId }
}

/** Returns one page of the rows, empty after the last one. Throws ApiError 400 for an unknown id. */
export function toModelsPage(rows: readonly Row[], { limit, afterId, beforeId }: PageQuery): object {
  const begin = afterId === undefined ? 0 : placeOf(rows, afterId, 'after_id') + 1
  const end = beforeId === undefined ? rows.length : placeOf(rows, beforeId, 'before_id')
  const wanted = rows.slice(begin, end)
  const page = beforeId === undefined ? wanted.slice(0, limit) : wanted.slice(-limit)
  return {
    data: page.map(toMessagesModel),
    has_more: page.length < wanted.length,
    first_id: page.at(0)?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  }
}

function placeOf(rows: readonly Row[], id: string, param: string): number {
  const found = rows.findIndex((row) => row.id === id)
  if (found === -1) throw invalidValue(param, 'the id of a model in this list')
  return found
}

/**
 * Returns the row with the type that this dialect gives to all models, and with the dialect's limits and names of
 * capabilities. The actual type is its `model_type`.
 */
export function toMessagesModel(row: Row): object {
  const taken = row.architecture?.input_modalities ?? []
  const inputs = {
    image_input: { supported: taken.includes('image') },
    pdf_input: { supported: taken.includes('file') },
  }
  return {
    ...row,
    type: 'model',
    model_type: row.type,
    capabilities: { ...row.capabilities, ...inputs },
    max_input_tokens: row.context_length ?? null,
    max_tokens: row.max_completion_tokens ?? null,
  }
}
