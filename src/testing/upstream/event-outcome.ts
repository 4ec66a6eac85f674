import { UpstreamFailure } from '../../engines/upstream/http/failure.ts'
import { type EventAnswer, postForEvents } from '../../engines/upstream/http/post-for-events.ts'
import { defaultLimits, type HttpLimits } from '../../engines/upstream/http/request.ts'

export const upstreamKey = 'sk-of-the-operator'

/** Asks a server for events, like the engine does. */
export function postTo(url: string, limits: Partial<HttpLimits> = {}, signal = new AbortController().signal) {
  const request = { url, key: upstreamKey, body: { stream: true }, signal, limits: { ...defaultLimits, ...limits } }
  return postForEvents(request)
}

/** Returns all events, and the failure after them. */
export async function outcomeOf(
  answer: Promise<EventAnswer>,
): Promise<{ readonly events: readonly string[]; readonly failure: UpstreamFailure | undefined }> {
  const events: string[] = []
  try {
    for await (const arrived of (await answer).events) events.push(...arrived)
    return { events, failure: undefined }
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error
    return { events, failure: error }
  }
}
