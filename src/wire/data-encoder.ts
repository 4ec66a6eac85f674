import type { WorkEvent } from '../core/work.ts'
import type { AnswerContext, StreamEncoder } from './dialect.ts'
import { toErrorBody } from './error-body.ts'
import { dataFrame, doneFrame, keepAliveFrame } from './sse-frame.ts'

/** Returns the encoder of a stream of unnamed events. `push` returns the frames of an event; `last` ends the stream. */
export function dataEncoder<Event extends WorkEvent>(
  { docsUrl }: AnswerContext,
  push: (event: Event) => string[],
  last: string[] = [doneFrame],
): StreamEncoder<Event> {
  return {
    push,
    end: () => last,
    // No `[DONE]`: clients would take the answer for complete.
    fail: (error) => [dataFrame(toErrorBody(error, docsUrl(error.code)))],
    keepAlive: () => keepAliveFrame,
  }
}
