/** Loads a model of sherpa-onnx that speaks. */
import { coresOf, readCpuAllowance } from '../../../machine/cpu-allowance.ts'
import type { LoadEngine } from '../../protocol/engine.ts'
import { LoadError } from '../../protocol/load-error.ts'
import { PartsLoop } from '../../shared/parts-loop.ts'
import { StepClock } from '../../shared/step-clock.ts'
import { openSherpa } from '../open-sherpa.ts'
import { log } from '../operator-log.ts'
import { loadOnDevice } from '../place-speech.ts'
import type { SpeechSettings } from '../settings.ts'
import { openLibav } from './audio/open-libav.ts'
import { gpuLanes, speakerLanes } from './lanes.ts'
import { filesByRole, filesForGpu } from './model-files.ts'
import { speaking } from './speak.ts'
import { Speaker } from './speaker.ts'
import { openSynthesizer, type SynthesizerBinding } from './synthesizer.ts'

export const loadSpeaker: LoadEngine<'speak', SpeechSettings> = async (setup) => {
  const { model, settings, runtime, emit, onPhase = () => undefined } = setup
  const { synthesizer } = model.manifest
  if (synthesizer === undefined) throw new LoadError('bad-model', 'its manifest does not say how it speaks')
  const threads = settings.threads > 0 ? settings.threads : coresOf(readCpuAllowance())
  const files = filesByRole(model)
  const onCpu = speakerLanes(threads, files)
  const binding = openSherpa<SynthesizerBinding>(runtime.sherpaOnnx)
  onPhase('libraries')
  const { kind, voices } = synthesizer
  const { loaded, provider, remark } = await loadOnDevice(
    setup,
    (on) =>
      openSynthesizer({
        ...{ binding, kind, provider: on },
        files: on === 'cuda' ? filesForGpu(model) : files,
        threads: on === 'cuda' ? 1 : onCpu.threadsPerLane,
      }),
    (synthesizer) =>
      synthesizer.synthesize({
        text: 'One.',
        speaker: voices[0]?.speaker ?? 0,
        speed: 1,
        language: voices[0]?.language,
        isWanted: () => true,
      }),
  )
  onPhase('weights')
  const { lanes, threadsPerLane } = provider === 'cuda' ? gpuLanes : onCpu
  const missing = voices.find(({ speaker }) => speaker >= loaded.speakers)
  if (missing !== undefined) {
    const message = `the voice "${missing.name}" is speaker ${missing.speaker}, and the model has ${loaded.speakers}, from 0 on`
    throw new LoadError('bad-model', message)
  }
  const speaker = new Speaker(loaded, binding, await openLibav())
  const clock = new StepClock()
  const engine = speaking({ speaker, synthesizer, lanes, clock, log })
  const loop = new PartsLoop(engine, { lanes, threadsPerLane, emit, clock })
  const place = provider === 'cuda' ? 'cuda' : `${threads} CPU threads`
  const description = `${kind}, ${voices.length} voices, on ${place}`
  const info = {
    device: provider,
    remark,
    threads: provider === 'cuda' ? undefined : threads,
    description,
    contextTokens: 0,
    parallel: settings.parallel,
  }
  return { ...loop.serve(info), pause: (id, isPaused) => loop.pause(id, isPaused) }
}
