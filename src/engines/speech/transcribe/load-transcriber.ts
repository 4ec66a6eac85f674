/** Loads a model of sherpa-onnx that transcribes. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { coresOf, readCpuAllowance } from '../../../machine/cpu-allowance.ts'
import type { EngineSetup, LoadEngine } from '../../protocol/engine.ts'
import { LoadError } from '../../protocol/load-error.ts'
import { PartsLoop } from '../../shared/parts-loop.ts'
import { StepClock } from '../../shared/step-clock.ts'
import { pathOnGpu } from '../graph-precision.ts'
import { endProcess, log } from '../operator-log.ts'
import { loadOnDevice } from '../place-speech.ts'
import type { SpeechSettings } from '../settings.ts'
import { WordPieces } from './hotwords.ts'
import { finderThreads, gpuLanes, modelBytes, shareLanes } from './lanes.ts'
import { openRecognizer, testTone } from './recognizer.ts'
import { recognizerKinds } from './recognizer-kinds.ts'
import { type SpeechFinder, startSpeechFinder } from './speech-finder.ts'
import { transcribing } from './transcribe.ts'

/** File of the addon for runs of several chunks. */
const speechAddon = 'inferd-speech.node'

export const loadTranscriber: LoadEngine<'transcribe', SpeechSettings> = async (setup) => {
  const { model, settings, runtime, emit, onPhase = () => undefined } = setup
  const { transcriber } = model.manifest
  if (transcriber === undefined) throw new LoadError('bad-model', 'its manifest does not say how it transcribes')
  const kind = recognizerKinds[transcriber.kind]
  const threads = settings.threads > 0 ? settings.threads : coresOf(readCpuAllowance())
  const pathOf = (role: string) => filePath(setup, role)
  const { sherpaOnnx } = runtime
  const vad = model.filePaths.vad ?? runtime.starterVad
  const startFinder = () => startSpeechFinder({ sherpaOnnx, vad, rules: kind.cut }, endProcess)
  const finder = shareFinders(await Promise.all(Array.from({ length: finderThreads(threads) }, startFinder)))
  onPhase('libraries')
  const hotwords = model.manifest.capabilities.prompt === true ? wordPieces(pathOf('tokens')) : undefined
  using scored = hotwords && scoredFile(hotwords)
  const chunksOnGpu = Number(setup.placement?.chunksTogether ?? 1)
  const onCpu = shareLanes(threads, modelBytes(model.filePaths))
  const { loaded, provider, remark } = await loadOnDevice(
    setup,
    (on) =>
      openRecognizer({
        ...{ sherpaOnnx, kind, provider: on },
        pathOf: on === 'cuda' ? (role) => pathOnGpu(model, role, pathOf(role)) : pathOf,
        threads: on === 'cuda' ? 1 : onCpu.threadsPerLane,
        // On a CPU parallel single chunks are faster, since a run pads all its chunks to the longest.
        ...(on === 'cuda' && { together: { addon: join(runtime.addons, speechAddon), chunks: chunksOnGpu } }),
        scoredPieces: scored?.path,
        log,
      }),
    async (recognizer) => {
      const [heard] = await recognizer.recognize([testTone()])
      if (heard?.status === 'rejected') throw heard.reason
    },
  )
  onPhase('weights')
  const { lanes, threadsPerLane } = provider === 'cuda' ? gpuLanes : onCpu
  const clock = new StepClock()
  const { languages } = transcriber
  const engine = transcribing({
    ...{ recognizer: loaded, finder, kind, languages, hotwords, lanes, clock, log },
    onHang: endProcess,
  })
  const loop = new PartsLoop(engine, { lanes, threadsPerLane, emit, clock })
  const { chunksTogether } = loaded
  const runs = chunksTogether > 1 ? `runs of up to ${chunksTogether} parts` : 'recordings or parts'
  const sideBySide = `${transcriber.kind}, ${lanes} ${runs} side by side`
  const description =
    provider === 'cuda'
      ? `${sideBySide} on cuda, voice activity on the CPU`
      : `${sideBySide} with ${threadsPerLane} CPU threads each`
  return loop.serve({
    device: provider,
    remark,
    threads: provider === 'cuda' ? undefined : lanes * threadsPerLane,
    description,
    contextTokens: 0,
    parallel: settings.parallel,
  })
}

function filePath({ model }: EngineSetup<'transcribe', SpeechSettings>, role: string): string {
  const path = model.filePaths[role]
  if (path !== undefined) return path
  throw new LoadError('bad-model', `the manifest of ${model.manifest.id} names no file with role "${role}"`)
}

/** Reads a vocabulary. Throws LoadError if its pieces do not tell where words begin. */
function wordPieces(path: string): WordPieces {
  const pieces = new WordPieces(readFileSync(path, 'utf8'))
  if (pieces.beginWords) return pieces
  throw new LoadError('bad-model', 'capabilities.prompt needs a vocabulary whose pieces of words begin with "▁"')
}

/** Writes a vocabulary to a file, which the library reads while it loads the model. Disposal deletes it. */
function scoredFile({ scored }: WordPieces): Disposable & { readonly path: string } {
  const folder = mkdtempSync(join(tmpdir(), 'inferd-words-'))
  const path = join(folder, 'words.vocab')
  writeFileSync(path, scored)
  return { path, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) }
}

/**
 * Returns one finder over several threads. Each recording uses the thread with the fewest open recordings. Throws if
 * there are no threads.
 */
export function shareFinders(finders: readonly SpeechFinder[]): SpeechFinder {
  const threads = finders.map((finder) => ({ finder, open: 0 }))
  return {
    open: (audio, detection) => {
      const [first, ...others] = threads
      if (first === undefined) throw new Error('there is no thread that finds speech: this is a bug')
      const idlest = others.reduce((least, each) => (each.open < least.open ? each : least), first)
      const recording = idlest.finder.open(audio, detection)
      idlest.open++
      let isOpen = true
      return {
        read: () => recording.read(),
        close: () => {
          if (isOpen) idlest.open--
          isOpen = false
          recording.close()
        },
      }
    },
  }
}
