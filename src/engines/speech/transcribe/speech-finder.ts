import type { AudioFile, DetectionRules } from '../../../core/speech.ts'
import { WorkerThread } from '../../../core/worker-thread.ts'
import { type Chunk, type CutRules, windowSamples } from './speech-cutter.ts'

/** Message to the thread that finds speech. `load` and each `read` are answered, in order. */
export type ToFinder =
  | { readonly type: 'load'; readonly sherpaOnnx: string; readonly vad: string; readonly rules: CutRules }
  /** Reads the next part. The first message for a recording opens it. */
  | { readonly type: 'read'; readonly id: number; readonly audio: AudioFile; readonly detection: DetectionRules }
  | { readonly type: 'close'; readonly id: number }

export type FromFinder =
  | { readonly type: 'loaded' }
  | { readonly type: 'read'; readonly part: CutPart }
  | { readonly type: 'failed'; readonly message: string }

/** Chunks found in the next few seconds of a recording. */
export interface CutPart {
  readonly chunks: readonly Chunk[]
  /** True at the end of the recording. */
  readonly isLast: boolean
}

/**
 * Samples processed in one piece, some 20 ms of work, after which other recordings have their turn. 10 s in whole
 * windows, because the cutter counts windows.
 */
export const partSamples = 312 * windowSamples

export interface CutRecording {
  /** Reads the next part. Rejects if the file cannot be read to the recording's end. One call at a time. */
  read(): Promise<CutPart>
  close(): void
}

/** Finds speech in recordings, in a thread because voice activity models block while they compute. */
export interface SpeechFinder {
  open(audio: AudioFile, detection?: DetectionRules): CutRecording
}

/**
 * Starts the thread. Rejects if the model cannot be loaded; native code may end the process instead. `onDeath` is
 * called if the thread ends by itself.
 */
export async function startSpeechFinder(
  options: Omit<Extract<ToFinder, { type: 'load' }>, 'type'>,
  onDeath: (reason: string) => void,
): Promise<SpeechFinder> {
  const thread = new WorkerThread<ToFinder, FromFinder>({
    program: 'engines/speech/transcribe/finder-thread.ts',
    name: 'the thread that finds speech',
    onEnd: onDeath,
  })
  const ask = async (message: ToFinder) => {
    const reply = await thread.ask(message)
    if (reply.type === 'failed') throw new Error(reply.message)
    return reply
  }
  await ask({ type: 'load', ...options })
  let lastId = 0
  return {
    open: (audio, detection = {}) => {
      const id = ++lastId
      return {
        read: async () => {
          const reply = await ask({ type: 'read', id, audio, detection })
          if (reply.type !== 'read') throw new Error('the thread that finds speech did not read: this is a bug')
          return reply.part
        },
        close: () => thread.tell({ type: 'close', id }),
      }
    },
  }
}
