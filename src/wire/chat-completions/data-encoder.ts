import type { ChatEvent } from '../../core/chat.ts'
import type { ApiError } from '../../core/errors.ts'
import type { AnswerContext, StreamEncoder } from '../dialect.ts'
import { toErrorBody } from '../error-body.ts'
import { dataFrame, doneFrame, keepAliveFrame } from '../sse-frame.ts'

/** Base of encoders whose streams end with `[DONE]`. */
export abstract class DataEncoder implements StreamEncoder {
  protected readonly context: AnswerContext

  constructor(context: AnswerContext) {
    this.context = context
  }

  abstract push(event: ChatEvent): string[]

  end(): string[] {
    return [doneFrame]
  }

  /** Returns the error without `[DONE]`, which clients take for a complete answer. */
  fail(error: ApiError): string[] {
    return [dataFrame(toErrorBody(error, this.context.docsUrl(error.code)))]
  }

  keepAlive(): string {
    return keepAliveFrame
  }
}
