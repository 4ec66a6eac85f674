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

/** Says who speaks when, in a process of its own. */
export interface Diarizer extends AsyncDisposable {
  diarize(audio: DiarizedAudio): Promise<{ readonly turns: readonly LabelledTurn[]; readonly ms: number }>
}

/** A recording as diarizers read it. */
export interface DiarizedAudio extends AudioFile {
  /** The same with a header. */
  readonly wavPath: string
}

/** Recordings of any kind as both diarizers read them. Files last until this is disposed. */
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

/** inferd's diarizer as the server runs it, without the server. */
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

/** sherpa-onnx's diarizer. */
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
