import { type ReplyFormat, ReplyReader } from '../engines/llama/answer/reply-reader.ts'

export interface ReadReply {
  reasoning: string
  text: string
  calls: { name: string; arguments: string }[]
}

/** Returns an answer read from its pieces. */
export function readReply(format: ReplyFormat, pieces: readonly string[], isSingleCall = false): ReadReply {
  const reader = new ReplyReader(format, { isSingleCall })
  const reply: ReadReply = { reasoning: '', text: '', calls: [] }
  const deltas = [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()]
  for (const delta of deltas) {
    if (delta.kind === 'text' || delta.kind === 'reasoning') reply[delta.kind] += delta.text
    else if (delta.kind === 'call-start') reply.calls[delta.index] = { name: delta.name, arguments: '' }
    else {
      const call = reply.calls[delta.index]
      if (call === undefined) throw new Error('arguments of no call')
      call.arguments += delta.text
    }
  }
  return reply
}
