import { asFailure } from '../../api/failure.ts'
import { respond } from '../../api/request.ts'
import { ServerEventParser } from '../../api/sse-parser.ts'
import { ShowPace } from './show-pace.ts'
import { isAborted, type Step } from './step.ts'

/**
 * Sends the step's request and reads its answer into it. Calls `onAccepted` once the request has an id. Failures are
 * stored in the step; never rejects.
 */
export async function streamAnswer(step: Step, signal: AbortSignal, onAccepted: () => void): Promise<void> {
  const pace = new ShowPace(() => {
    step.shown.value += 1
  })
  try {
    const response = await respond('/dashboard/v1/chat/completions', {
      method: 'POST',
      body: step.request ?? {},
      signal,
    })
    step.requestId = response.headers.get('x-request-id') ?? undefined
    onAccepted()
    const parser = new ServerEventParser()
    const decoder = new TextDecoder()
    for await (const bytes of response.body ?? []) {
      const text = decoder.decode(bytes, { stream: true })
      step.response.push(text)
      for (const { data } of parser.push(text)) step.take(data)
      pace.changed()
    }
    step.end()
  } catch (error) {
    if (signal.aborted || isAborted(error)) step.finish('stopped')
    else {
      // Browsers report a broken connection as a TypeError, each with a different message.
      const failure = error instanceof TypeError ? step.broken() : asFailure(error)
      step.requestId ??= failure.facts.requestId
      step.finish('failed', failure)
    }
  }
  pace.end()
}
