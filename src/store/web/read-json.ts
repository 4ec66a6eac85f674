import { jsonIn } from '../../core/json.ts'
import type { Answer } from './answer.ts'
import { shownAddress, WebError } from './web-error.ts'

/**
 * Returns the JSON of an answer; undefined for other text. Throws a WebError of kind `again` if the answer claims to be
 * JSON but does not parse, as when it was cut short.
 */
export async function readJson(answer: Answer, limitBytes: number): Promise<unknown> {
  const read = jsonIn(await answer.text(limitBytes))
  if (read !== undefined || !/\bjson\b/.test(answer.headers.get('content-type') ?? '')) return read
  throw new WebError('again', `${shownAddress(answer.address)} sent JSON that is cut short`)
}
