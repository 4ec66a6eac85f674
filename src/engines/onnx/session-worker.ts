/**
 * The thread that computes: ONNX Runtime blocks while it does, and the engine's own thread must not. Opens one session
 * and runs batches in the order in which they come.
 */
import { type OnnxSession, openSession } from './onnx-runtime.ts'
import { type Pooled, poolRows } from './pooling.ts'
import { scoreRows } from './scores.ts'
import type { FromSession, ToSession } from './session-messages.ts'

declare const self: Worker

let session: OnnxSession | undefined

self.onmessage = ({ data: message }: MessageEvent<ToSession>) => {
  try {
    if (message.type === 'open') {
      session = openSession(message.options)
      answer({ type: 'opened', inputs: session.inputs, outputs: session.outputs })
    } else {
      const computed = compute(message)
      answer({ type: 'ran', computed }, [computed.values.buffer])
    }
  } catch (error) {
    answer({ type: 'failed', message: error instanceof Error ? error.message : String(error) })
  }
}

function compute({ batch, output, reading }: Extract<ToSession, { type: 'run' }>): Pooled {
  if (session === undefined) throw new Error('no model is open')
  const { feeds, shape, lengths } = batch
  const tensor = session.run(feeds, shape, output)
  if (reading.type === 'vectors') return poolRows(tensor, lengths, reading)
  return { dimensions: 1, values: scoreRows(tensor, lengths, reading) }
}

function answer(message: FromSession, transfer: ArrayBufferLike[] = []): void {
  self.postMessage(message, transfer as ArrayBuffer[]) // made here, so never shared
}
