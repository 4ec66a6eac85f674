import type { AnswerReader } from './answer.ts'
import type { ReplyDelta } from './reply-reader.ts'

/** Reads answers to raw prompts: they have no format, and all of them is text. */
export class PlainReader implements AnswerReader {
  readonly kind = 'text'
  readonly isDone = false
  readonly calls = 0
  #received = 0

  push(piece: string): ReplyDelta[] {
    if (piece === '') return []
    this.#received += piece.length
    return [{ kind: 'text', text: piece, end: this.#received }]
  }

  end(): ReplyDelta[] {
    return []
  }
}
