import { jsonIn } from '../../core/json.ts'
import type { Answer } from './answer.ts'
import { shownAddress, WebError } from './web-error.ts'

/**
 * Returns the JSON of an answer, undefined if it is another kind of text. Throws WebError: to be tried again where the
 * answer says that it is JSON and is not, as when it was cut short.
 */
export async function readJson(answer: Answer, limitBytes: number): Promise<unknown> {
  const read = jsonIn(await answer.text(limitBytes))
  if (read !== undefined || !/\bjson\b/.test(answer.headers.get('content-type') ?? '')) return read
  throw new WebError('again', `${shownAddress(answer.address)} sent JSON that is cut short`)
}
