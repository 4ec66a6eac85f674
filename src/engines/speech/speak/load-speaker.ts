/** A model of sherpa-onnx that speaks. */
import { coresOf, readCpuAllowance } from '../../../machine/cpu-allowance.ts'
import type { LoadEngine } from '../../engine.ts'
import { LoadError } from '../../load-error.ts'
import { openSherpa } from '../open-sherpa.ts'
import { log } from '../operator-log.ts'
import type { SpeechSettings } from '../settings.ts'
import { openLibav } from './audio/open-libav.ts'
import { speakerLanes } from './lanes.ts'
import { filesByRole } from './model-files.ts'
import { SpeakLoop } from './speak-loop.ts'
import { Speaker } from './speaker.ts'
import { openSynthesizer, type SynthesizerBinding } from './synthesizer.ts'

export const loadSpeaker: LoadEngine<'speak', SpeechSettings> = async ({ model, settings, runtime, emit }) => {
  const { synthesizer } = model.manifest
  if (synthesizer === undefined) throw new LoadError('bad-model', 'its manifest does not say how it speaks')
  const threads = settings.threads > 0 ? settings.threads : coresOf(readCpuAllowance())
  const files = filesByRole(model)
  const { lanes, threadsPerLane } = speakerLanes(threads, files)
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
    lanes,
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
