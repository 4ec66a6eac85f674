import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AudioDecoder } from '../../../src/audio/audio-decoder.ts'
import type { AudioFile } from '../../../src/core/speech.ts'
import { audioSampleRateHz } from '../../../src/core/speech.ts'
import { unlimited } from '../../../src/engines/protocol/work-engines.ts'
import { runtimePaths } from '../../../src/engines/runtime/runtime-paths.ts'
import { Spool, spoolDefaults } from '../../../src/spool/spool.ts'
import { testPool } from '../../../src/testing/engine-pool.ts'
import { testEngineSettings } from '../../../src/testing/engine-settings.ts'
import { testManifest } from '../../../src/testing/test-manifest.ts'
import type { Recording } from './recordings.ts'
import { type SherpaSetup, startSherpa } from './sherpa.ts'
import type { starterModels } from './starter-models.ts'
import type { LabelledTurn } from './turns.ts'
import { wavFile } from './wav.ts'

/** Diarizer in a separate process. */
export interface Diarizer extends AsyncDisposable {
  diarize(audio: DiarizedAudio): Promise<{ readonly turns: readonly LabelledTurn[]; readonly ms: number }>
}

/** Recording in the forms that the diarizers read. */
export interface DiarizedAudio extends AudioFile {
  /** Path of the same samples with a WAV header. */
  readonly wavPath: string
}

/**
 * Opens a folder that turns recordings of any kind into the forms that both diarizers read. Its files last until it is
 * disposed of.
 */
export function openAudioFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'inferd-eval-'))
  const spool = new Spool({ folder: join(folder, 'spool'), ...spoolDefaults })
  const decoder = new AudioDecoder({ spool, parallel: 1 })
  return {
    async add({ file }: Recording): Promise<DiarizedAudio> {
      const wavPath = join(folder, `${Bun.randomUUIDv7()}.wav`)
      writeFileSync(wavPath, file)
      const { signal } = new AbortController()
      const { path, sampleCount } = await decoder.decode({ path: wavPath, accountId: 'eval', signal })
      writeFileSync(wavPath, wavFile(await Bun.file(path).bytes(), audioSampleRateHz))
      return { path, wavPath, sampleCount }
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  }
}

/** Starts inferd's diarizer as the server runs it, without a server. */
export function ownDiarizer({ files, diarizer }: typeof starterModels.transcriber, threads: number): Diarizer {
  const pool = testPool({ settings: { ...testEngineSettings, threads }, runtime: () => runtimePaths('') })
  const manifest = testManifest({ id: 'eval/diarizer', type: 'stt', engine: 'diarization', diarizer })
  return {
    async diarize(audio) {
      const beginMs = performance.now()
      const context = { accountId: 'eval', signal: new AbortController().signal, meter: unlimited }
      const turns: LabelledTurn[] = []
      for await (const event of pool.run(
        { manifest, filePaths: files },
        { kind: 'diarize', request: { audio } },
        context,
      )) {
        if (event.type !== 'turns') continue
        turns.push(...event.turns.map((turn) => ({ ...turn, speaker: `${turn.speaker}` })))
      }
      return { turns, ms: performance.now() - beginMs }
    },
    [Symbol.asyncDispose]: () => pool.stop(),
  }
}

/** Starts sherpa-onnx's diarizer. */
export function sherpaDiarizer(setup: SherpaSetup): Diarizer {
  const sherpa = startSherpa(setup)
  return {
    async diarize({ wavPath }) {
      const { turns = [], ms } = await sherpa.run({ kind: 'diarize', path: wavPath })
      return { turns, ms }
    },
    [Symbol.asyncDispose]: async () => sherpa.stop(),
  }
}
