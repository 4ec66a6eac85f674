import { errorText } from '../../../core/error-text.ts'
import type { GraphEdit } from './graph-edit.ts'
import { type FloatTensor, type OnnxSession, openSession } from './onnx-runtime.ts'
import { openEdited } from './open-edited.ts'
import type { FileOptions, FromSession, ToSession } from './session-thread.ts'

declare const self: Worker

/**
 * Serves one session in this thread, since ONNX Runtime blocks while it computes. Opens the session and runs it in the
 * order of messages. `read` makes a run's result from the output; its numbers are moved to the engine's thread. `edit`
 * changes the model's content by the engine's wish, if there is one.
 */
export function serveSession<Reading, Result extends { readonly values: { readonly buffer: ArrayBuffer } }, Wish>(
  read: (output: FloatTensor, reading: Reading) => Result,
  edit: (content: Uint8Array, wish: Wish, options: FileOptions) => GraphEdit | undefined,
): void {
  let session: OnnxSession | undefined
  const answer = (message: FromSession<Result>, transfer: ArrayBuffer[] = []) => self.postMessage(message, transfer)
  self.onmessage = ({ data: message }: MessageEvent<ToSession<Reading, Wish>>) => {
    try {
      if (message.type === 'open') {
        const { options, wish } = message
        const opened =
          wish === undefined ? openSession(options) : openEdited(options, (content) => edit(content, wish, options))
        session = opened
        answer({ type: 'opened', inputs: opened.inputs, outputs: opened.outputs, remark: opened.remark })
      } else {
        if (session === undefined) throw new Error('no model is open')
        const { feeds, output } = message.run
        const begunMs = performance.now()
        const computed = session.run(feeds, output)
        const computedMs = performance.now()
        const result = read(computed, message.reading)
        const times = { device: computedMs - begunMs, copy: performance.now() - computedMs }
        answer({ type: 'ran', result, times }, [result.values.buffer])
      }
    } catch (error) {
      answer({ type: 'failed', message: errorText(error) })
    }
  }
}
