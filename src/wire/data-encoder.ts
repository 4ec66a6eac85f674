import type { WorkEvent } from '../core/work.ts'
import type { AnswerContext, StreamEncoder } from './dialect.ts'
import { toErrorBody } from './error-body.ts'
import { dataFrame, doneFrame, keepAliveFrame } from './sse-frame.ts'

/** Returns the encoder of a stream of data without names, whose frames of each event `push` returns. `last` ends it. */
export function dataEncoder<Event extends WorkEvent>(
  { docsUrl }: AnswerContext,
  push: (event: Event) => string[],
  last: string[] = [doneFrame],
): StreamEncoder<Event> {
  return {
    push,
    end: () => last,
    // Without `[DONE]`, which clients take for a complete answer.
    fail: (error) => [dataFrame(toErrorBody(error, docsUrl(error.code)))],
    keepAlive: () => keepAliveFrame,
  }
}
