/** A model of sherpa-onnx that speaks. */
import { statSync } from 'node:fs'
import { coresOf, readCpuAllowance } from '../../../machine/cpu-allowance.ts'
import type { LoadEngine } from '../../engine.ts'
import { LoadError } from '../../load-error.ts'
import { openSherpa } from '../open-sherpa.ts'
import { log } from '../operator-log.ts'
import type { SpeechSettings } from '../settings.ts'
import { openLibav } from './audio/open-libav.ts'
import { type FilesByRole, filesByRole } from './model-files.ts'
import { SpeakLoop } from './speak-loop.ts'
import { Speaker } from './speaker.ts'
import { openSynthesizer, type SynthesizerBinding } from './synthesizer.ts'

/** Smaller models do not gain by threads: several sentences at once do. */
const largeModelBytes = 32_000_000
const threadsOfLargeModels = 4

export const loadSpeaker: LoadEngine<'speak', SpeechSettings> = async ({ model, settings, runtime, emit }) => {
  const { synthesizer } = model.manifest
  if (synthesizer === undefined) throw new LoadError('bad-model', 'its manifest does not say how it speaks')
  const threads = settings.threads > 0 ? settings.threads : coresOf(readCpuAllowance())
  const files = filesByRole(model)
  const threadsPerLane = modelBytes(files) < largeModelBytes ? 1 : Math.min(threads, threadsOfLargeModels)
  const binding = openSherpa<SynthesizerBinding>(runtime.sherpaOnnx)
  const { kind, voices } = synthesizer
  const opened = await openSynthesizer({ binding, kind, files, threads: threadsPerLane })
  const missing = voices.find(({ speaker }) => speaker >= opened.speakers)
  if (missing !== undefined) {
    const message = `the voice "${missing.name}" is speaker ${missing.speaker}, and the model has ${opened.speakers}, from 0 on`
    throw new LoadError('bad-model', message)
  }
  const loop = new SpeakLoop({
    speaker: new Speaker(opened, binding, await openLibav()),
    synthesizer,
    lanes: Math.max(1, Math.floor(threads / threadsPerLane)),
    threadsPerLane,
    emit,
    log,
  })
  const description = `${kind}, ${voices.length} voices, on ${threads} CPU threads`
  return {
    info: { device: 'cpu', threads, description, contextTokens: 0, parallel: settings.parallel },
    run: (id, accountId, work) => loop.add(id, accountId, work),
    grant: (id) => loop.grant(id),
    cancel: (id) => loop.cancel(id),
    pause: (id, isPaused) => loop.pause(id, isPaused),
    useThreads: (count) => loop.useThreads(count),
    stats: () => loop.stats(),
  }
}

function modelBytes(files: FilesByRole): number {
  const graphs = Object.values(files)
    .flat()
    .filter((path) => path.endsWith('.onnx'))
  return graphs.reduce((sum, path) => sum + statSync(path).size, 0)
}
