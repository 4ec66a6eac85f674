import { LoadError } from '../../load-error.ts'
import type { ModelAnswer } from './ask-server.ts'
import type { Endpoint } from './endpoint.ts'

/** `answers` are by endpoint. Throws LoadError where all that answered lack it, or refuse the key. */
export function requireModel(model: string, endpoints: readonly Endpoint[], answers: readonly ModelAnswer[]): void {
  const answered = endpoints.filter((_, index) => answers[index]?.kind !== 'silent')
  if (answered.length === 0 || answered.some(({ outOfUse }) => outOfUse === undefined)) return
  const reasons = answered.map(({ url, outOfUse }) => `${new URL(url).host} ${outOfUse}`)
  throw new LoadError('other', `none of its servers serves "${model}": ${reasons.join('; ')}`)
}
