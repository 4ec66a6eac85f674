import type { Batch } from './batch-feeds.ts'
import type { OnnxSession, SessionOptions } from './onnx-runtime.ts'
import type { Pooled } from './pooling.ts'
import type { FromSession, Reading, ToSession } from './session-messages.ts'

/** Where the bundler puts the thread's program inside the executable; `scripts/build` names it as an entry. */
const embeddedProgram = './engines/onnx/session-worker.ts'

/** A session in a thread of its own. */
export interface SessionThread {
  readonly inputs: OnnxSession['inputs']
  readonly outputs: OnnxSession['outputs']
  /** Batches are computed in the order of the calls. Rejects with what ONNX Runtime says; the next call works again. */
  run(batch: Batch, output: string, reading: Reading): Promise<Pooled>
  close(): void
}

/**
 * Opens a model in a new thread. Rejects with what ONNX Runtime says; native code may kill the process instead. `onDeath`
 * hears of a thread that has ended by itself: nothing can be computed any more.
 */
export async function openSessionThread(
  options: SessionOptions,
  onDeath: (reason: string) => void,
): Promise<SessionThread> {
  const worker = new Worker(programUrl())
  const waiting: PromiseWithResolvers<FromSession>[] = []
  worker.onmessage = ({ data }: MessageEvent<FromSession>) => waiting.shift()?.resolve(data)
  const onEnd = (reason: string) => {
    onDeath(reason)
    for (const { reject } of waiting.splice(0)) reject(new Error(reason))
  }
  const onClose = () => onEnd('the thread that computes has ended')
  worker.onerror = ({ message }) => onEnd(`the thread that computes has failed: ${message}`)
  worker.addEventListener('close', onClose)
  const close = () => {
    worker.removeEventListener('close', onClose)
    worker.terminate()
  }
  const ask = async (message: ToSession, transfer: ArrayBuffer[] = []) => {
    const answer = Promise.withResolvers<FromSession>()
    waiting.push(answer)
    worker.postMessage(message, transfer)
    const reply = await answer.promise
    if (reply.type === 'failed') throw new Error(reply.message)
    return reply
  }
  try {
    const opened = await ask({ type: 'open', options })
    if (opened.type !== 'opened') throw new Error('the thread that computes did not open the model: this is a bug')
    return {
      inputs: opened.inputs,
      outputs: opened.outputs,
      run: async (batch, output, reading) => {
        const buffers = batch.feeds.map(({ data }) => data.buffer as ArrayBuffer) // made for this batch alone
        const reply = await ask({ type: 'run', batch, output, reading }, buffers)
        if (reply.type !== 'ran') throw new Error('the thread that computes did not run a batch: this is a bug')
        return reply.computed
      },
      close,
    }
  } catch (error) {
    close()
    throw error
  }
}

function programUrl(): string {
  const isEmbedded = import.meta.url.startsWith('file:///$bunfs/')
  return isEmbedded ? embeddedProgram : new URL('./session-worker.ts', import.meta.url).href
}
