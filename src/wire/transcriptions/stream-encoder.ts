import type { ApiError } from '../../core/errors.ts'
import { spaceBetween } from '../../core/spaceless.ts'
import type { WorkEvent } from '../../core/work.ts'
import type { AnswerContext, StreamEncoder } from '../dialect.ts'
import { toErrorBody } from '../error-body.ts'
import { dataFrame, doneFrame, keepAliveFrame } from '../sse-frame.ts'
import { Transcript } from './transcript.ts'

/** An event for each segment as it is transcribed, then one with the whole text. Text and JSON have the same stream. */
export class TranscriptionEncoder implements StreamEncoder<WorkEvent<'transcribe'>> {
  readonly #context: AnswerContext
  readonly #transcript = new Transcript()

  constructor(context: AnswerContext) {
    this.#context = context
  }

  push(event: WorkEvent<'transcribe'>): string[] {
    const before = this.#transcript.segments.at(-1)?.text ?? ''
    this.#transcript.push(event)
    switch (event.type) {
      case 'start':
        return [keepAliveFrame]
      case 'segment': {
        const delta = spaceBetween(before, event.text) + event.text
        return [dataFrame({ type: 'transcript.text.delta', delta })]
      }
      case 'finish': {
        const { text, usage } = this.#transcript
        return [dataFrame({ type: 'transcript.text.done', text, usage })]
      }
      default:
        return []
    }
  }

  end(): string[] {
    return [doneFrame]
  }

  fail(error: ApiError): string[] {
    return [dataFrame(toErrorBody(error, this.#context.docsUrl(error.code)))]
  }

  keepAlive(): string {
    return keepAliveFrame
  }
}
