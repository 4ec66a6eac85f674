import { join } from 'node:path'
import { textParts } from '../../../src/testing/text-parts.ts'
import type { LabelledTurn } from './turns.ts'

/** Paths of models, and the number of threads of each. */
export interface SherpaSetup {
  readonly threads: number
  /** CTC model in zipformer's form. */
  readonly transcriber: { readonly model: string; readonly tokens: string; readonly vad: string }
  /** A VITS model. */
  readonly synthesizer: { readonly model: string; readonly tokens: string }
  readonly diarizer: { readonly segmentation: string; readonly embedding: string; readonly threshold: number }
}

/** WAV files have one channel of 16 kHz. Files and texts of one request are processed in parallel. */
export type SherpaRequest =
  | { readonly kind: 'transcribe'; readonly paths: readonly string[] }
  | { readonly kind: 'diarize'; readonly path: string; readonly threshold?: number }
  | { readonly kind: 'speak'; readonly texts: readonly string[] }

export interface SherpaResult {
  /** Time of the work, without the loading of models. */
  readonly ms: number
  /** CPU time of the process so far. */
  readonly cpuMs: number
  readonly texts?: readonly string[]
  readonly turns?: readonly LabelledTurn[]
  readonly audioSeconds?: number
}

export interface Sherpa {
  readonly pid: number
  /** One at a time. */
  run(request: SherpaRequest): Promise<SherpaResult>
  stop(): void
}

/** Starts sherpa-onnx in a separate process. */
export function startSherpa(setup: SherpaSetup): Sherpa {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'sherpa-child.ts'), JSON.stringify(setup)], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const log = child.stderr.text()
  const lines = textParts(child.stdout)
  return {
    pid: child.pid,
    run: async (request) => {
      child.stdin.write(`${JSON.stringify(request)}\n`)
      await child.stdin.flush()
      const { value } = await lines.next()
      if (value === undefined) throw new Error(`sherpa-onnx ended: ${(await log).slice(-2000)}`)
      return JSON.parse(value)
    },
    stop: () => child.kill(),
  }
}
