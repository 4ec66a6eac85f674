/** Program of the thread that finds speech in recordings and cuts it into chunks. */

import { errorText } from '../../../core/error-text.ts'
import { type AudioFile, audioSampleRateHz, type DetectionRules } from '../../../core/speech.ts'
import { readSamples } from '../../shared/read-samples.ts'
import { openSherpa } from '../open-sherpa.ts'
import { type Chunk, SpeechCutter, windowSamples } from './speech-cutter.ts'
import { type CutPart, type FromFinder, partSamples, type ToFinder } from './speech-finder.ts'

declare const self: Worker

type Detector = object

interface DetectorBinding {
  createVoiceActivityDetector(config: object, bufferSeconds: number): Detector
  voiceActivityDetectorAcceptWaveform(detector: Detector, samples: Float32Array): void
  voiceActivityDetectorIsDetected(detector: Detector): boolean
  /** Forgets finished speech. */
  voiceActivityDetectorClear(detector: Detector): void
  /** Forgets everything, including the state. */
  voiceActivityDetectorReset(detector: Detector): void
}

interface OpenRecording {
  readonly audio: AudioFile
  readonly detector: Detector
  readonly detection: DetectionRules
  readonly cutter: SpeechCutter
  /** Samples passed to the detector. */
  heard: number
  /** Samples of speech that the detector keeps. */
  buffered: number
}

/** A detector buffers speech until it ends. In long music it is therefore reset, and needs a moment to detect again. */
const bufferSeconds = 30
const bufferLimitSamples = 28 * audioSampleRateHz

let load: Extract<ToFinder, { type: 'load' }> | undefined
let binding: DetectorBinding | undefined
const idle: Detector[] = []
const open = new Map<number, OpenRecording>()
/** Completion of the messages so far, which are handled one after the other. */
let last: Promise<void> = Promise.resolve()

self.onmessage = ({ data }: MessageEvent<ToFinder>) => {
  last = last.then(async () => {
    try {
      const answer = await carryOut(data)
      if (answer !== undefined) self.postMessage(answer)
    } catch (error) {
      self.postMessage({
        type: 'failed',
        message: errorText(error),
      } satisfies FromFinder)
    }
  })
}

async function carryOut(message: ToFinder): Promise<FromFinder | undefined> {
  switch (message.type) {
    case 'load':
      load = message
      binding = openSherpa<DetectorBinding>(message.sherpaOnnx)
      idle.push(newDetector())
      return { type: 'loaded' }
    case 'read':
      return { type: 'read', part: await readOn(open.get(message.id) ?? openRecording(message)) }
    case 'close': {
      const recording = open.get(message.id)
      if (recording === undefined) return undefined
      open.delete(message.id)
      if (recording.detection.threshold !== undefined) return undefined
      binding?.voiceActivityDetectorReset(recording.detector)
      idle.push(recording.detector)
      return undefined
    }
  }
}

/**
 * Opens a recording. A client's threshold takes a detector that is not kept, and those of closed recordings are freed
 * here: the collector does not see their 2 MB and would leave hundreds.
 */
function openRecording({ id, audio, detection }: Extract<ToFinder, { type: 'read' }>): OpenRecording {
  if (load === undefined) throw new Error('no model is open')
  const { threshold } = detection
  if (threshold !== undefined) Bun.gc(true)
  const detector = threshold === undefined ? (idle.pop() ?? newDetector()) : newDetector(threshold)
  const cutter = new SpeechCutter({ ...load.rules, ...detection })
  const recording = { audio, detector, detection, cutter, heard: 0, buffered: 0 }
  open.set(id, recording)
  return recording
}

/** Thresholds that the library takes. Of 0.01 and less, and of 1, it makes a detector that hears nothing. */
const thresholds = { usual: 0.5, least: 0.02, most: 0.99 }

/** Creates a detector that only judges single windows; the cutter decides about speech and pauses. */
function newDetector(threshold = thresholds.usual): Detector {
  if (load === undefined || binding === undefined) throw new Error('no model is open')
  const sileroVad = {
    model: load.vad,
    threshold: Math.min(Math.max(threshold, thresholds.least), thresholds.most),
    minSpeechDuration: 0.001,
    minSilenceDuration: 0.001,
    maxSpeechDuration: 1000,
    windowSize: windowSamples,
  }
  return binding.createVoiceActivityDetector(
    { sileroVad, sampleRate: audioSampleRateHz, numThreads: 1, debug: false },
    bufferSeconds,
  )
}

async function readOn(recording: OpenRecording): Promise<CutPart> {
  const { audio, cutter, heard } = recording
  const samples = await readSamples(audio, heard, heard + partSamples)
  const chunks: Chunk[] = []
  for (let at = 0; at < samples.length; at += windowSamples) {
    const chunk = cutter.add(...hear(recording, samples.subarray(at, at + windowSamples)))
    if (chunk !== undefined) chunks.push(chunk)
  }
  recording.heard += samples.length
  const isLast = recording.heard >= audio.sampleCount
  const end = isLast ? cutter.end() : undefined
  if (end !== undefined) chunks.push(end)
  return { chunks: chunks.map((chunk) => upTo(audio.sampleCount, chunk)), isLast }
}

/** Returns the chunk cut at the recording's end, since the last window is rarely full. */
function upTo(sampleCount: number, { start, end, speech }: Chunk): Chunk {
  const inside = (sample: number) => Math.min(sample, sampleCount)
  return { start, end: inside(end), speech: speech.map((each) => ({ start: each.start, end: inside(each.end) })) }
}

function hear(recording: OpenRecording, samples: Float32Array): [isSpeech: boolean, level: number] {
  const { detector } = recording
  if (binding === undefined) throw new Error('no model is open')
  binding.voiceActivityDetectorAcceptWaveform(detector, whole(samples))
  const isSpeech = binding.voiceActivityDetectorIsDetected(detector)
  if (isSpeech) recording.buffered += samples.length
  if (!isSpeech && recording.buffered > 0) {
    binding.voiceActivityDetectorClear(detector)
    recording.buffered = 0
  }
  if (recording.buffered > bufferLimitSamples) {
    binding.voiceActivityDetectorReset(detector)
    recording.buffered = 0
  }
  let level = 0
  // A plain loop: an iterator would take a sixth of the model's time.
  for (let at = 0; at < samples.length; at++) level += Math.abs(samples[at] ?? 0)
  return [isSpeech, level / samples.length]
}

/** Returns a whole window, padded with silence at the recording's end. */
function whole(samples: Float32Array): Float32Array {
  if (samples.length === windowSamples) return samples
  const window = new Float32Array(windowSamples)
  window.set(samples)
  return window
}
