import type { ChatEvent } from '../../core/chat.ts'
import type { AnswerCollector } from '../dialect.ts'
import { ResponseEncoder, type ResponseEncoderOptions } from './response-encoder.ts'

/** Gathers the events of one request into the response that a stream of it ends with: made in the same way. */
export class ResponseCollector implements AnswerCollector {
  readonly #encoder: ResponseEncoder

  constructor(options: ResponseEncoderOptions) {
    this.#encoder = new ResponseEncoder(options)
  }

  push(event: ChatEvent): void {
    this.#encoder.push(event)
  }

  end(): object {
    return this.#encoder.response()
  }
}
