import { WorkerThread } from '../../../core/worker-thread.ts'
import type { StepClock } from '../../shared/step-clock.ts'
import type { Feed, OnnxSession, SessionOptions } from './onnx-runtime.ts'

/** One computation of a graph: its inputs and the name of the output. */
export interface Run {
  readonly feeds: readonly Feed[]
  readonly output: string
}

/** Message to a session's thread. `wish` describes the edit of the model, `reading` how to read the output. */
export type ToSession<Reading, Wish> =
  | { readonly type: 'open'; readonly options: FileOptions; readonly wish: Wish | undefined }
  | { readonly type: 'run'; readonly run: Run; readonly reading: Reading }

/** One answer for each message, in order. */
export type FromSession<Result> =
  | ({ readonly type: 'opened' } & Pick<OnnxSession, 'inputs' | 'outputs' | 'remark'>)
  | { readonly type: 'ran'; readonly result: Result; readonly times: RunTimes }
  | { readonly type: 'failed'; readonly message: string }

/** Options of a model that is read from its file. */
export type FileOptions = SessionOptions & { readonly modelPath: string }

/** Milliseconds in the session's thread, for the graph and for reading its output. */
interface RunTimes {
  readonly device: number
  readonly copy: number
}

/** A session in a separate thread. */
export interface SessionThread<Reading, Result> {
  readonly inputs: OnnxSession['inputs']
  readonly outputs: OnnxSession['outputs']
  readonly remark?: OnnxSession['remark']
  /** Computes a run, after earlier ones. Rejects with ONNX Runtime's error; later runs still work. */
  run(run: Run, reading: Reading): Promise<Result>
  /** Ends the idle thread. */
  close(): void
}

/** A thread that has started and has no session yet. */
interface StartedThread<Reading, Result, Wish> {
  /** Opens the thread's session. Rejects with ONNX Runtime's error; native code may kill the process instead. */
  open(options: FileOptions, wish: Wish | undefined): Promise<SessionThread<Reading, Result>>
  /** Ends the idle thread. */
  close(): void
}

/**
 * Starts the thread of a session. `program` calls `serveSession`; it is named by its path below `src/` (where the
 * bundler puts it too) and is a separate entry in `scripts/build.ts`. `onDeath` is called when the thread ends
 * unasked: nothing can be computed any more. `clock` counts the runs.
 */
export function startSessionThread<Reading, Result, Wish>(
  program: string,
  { onDeath, clock }: { readonly onDeath: (reason: string) => void; readonly clock?: StepClock | undefined },
): StartedThread<Reading, Result, Wish> {
  const thread = new WorkerThread<ToSession<Reading, Wish>, FromSession<Result>>({
    program,
    name: 'the thread that computes',
    onEnd: onDeath,
  })
  const ask = async (message: ToSession<Reading, Wish>, transfer: ArrayBuffer[] = []) => {
    const reply = await thread.ask(message, { transfer })
    if (reply.type === 'failed') throw new Error(reply.message)
    return reply
  }
  const close = () => thread[Symbol.dispose]()
  const open = async (options: FileOptions, wish: Wish | undefined): Promise<SessionThread<Reading, Result>> => {
    const opened = await ask({ type: 'open', options, wish })
    if (opened.type !== 'opened') throw new Error('the thread that computes did not open the model: this is a bug')
    return {
      inputs: opened.inputs,
      outputs: opened.outputs,
      remark: opened.remark,
      run: async (run, reading) => {
        const buffers = run.feeds.map(({ data }) => data.buffer as ArrayBuffer) // made only for this run
        const sinceMs = performance.now()
        const reply = await ask({ type: 'run', run, reading }, buffers)
        if (reply.type !== 'ran') throw new Error('the thread that computes did not run the model: this is a bug')
        const { device, copy } = reply.times
        clock?.addAll({ device, copy, wake: Math.max(0, performance.now() - sinceMs - device - copy) })
        return reply.result
      },
      close,
    }
  }
  return { open, close }
}
