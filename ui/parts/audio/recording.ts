/** Running recording of the microphone. */
export interface Recording {
  /** Returns the current level, 0 to 1. */
  readonly level: () => number
  /** Stops and resolves with the recorded file. */
  readonly stop: () => Promise<File>
  /** Stops and drops the recording. */
  readonly cancel: () => void
}

export type MicrophoneProblem = 'insecure' | 'denied' | 'none' | 'failed'

class NoMicrophone extends Error {
  readonly problem: MicrophoneProblem

  constructor(problem: MicrophoneProblem) {
    super(problem)
    this.problem = problem
  }
}

/**
 * Preferred types first. A server without ffmpeg reads webm but not mp4. Safari claims webm, and cannot play its own.
 */
const types = [
  ['audio/webm;codecs=opus', 'webm'],
  ['audio/mp4', 'm4a'],
] as const

function isSafari(): boolean {
  return navigator.vendor.startsWith('Apple')
}

/** Returns false over http except on localhost: browsers offer no microphone there. */
export function hasMicrophones(): boolean {
  return navigator.mediaDevices !== undefined
}

/** Starts a recording. Rejects with NoMicrophone. */
export async function startRecording(): Promise<Recording> {
  if (!hasMicrophones()) throw new NoMicrophone('insecure')
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true }).catch((error) => {
    throw new NoMicrophone(reasonOf(error))
  })
  const wanted = isSafari() ? types.toReversed() : types
  const found = wanted.find(([type]) => MediaRecorder.isTypeSupported(type))
  const recorder = new MediaRecorder(stream, found === undefined ? {} : { mimeType: found[0] })
  const pieces: Blob[] = []
  recorder.ondataavailable = ({ data }) => pieces.push(data)
  const meter = levelMeter(stream)
  const ended = new Promise((resolve) => recorder.addEventListener('stop', resolve))
  recorder.start(1_000)
  const end = async () => {
    if (recorder.state !== 'inactive') recorder.stop()
    await ended
    for (const track of stream.getTracks()) track.stop()
    meter.close()
  }
  return {
    level: meter.level,
    stop: async () => {
      await end()
      const [type = recorder.mimeType, extension = 'webm'] = found ?? []
      return new File(pieces, `recording.${extension}`, { type })
    },
    cancel: () => void end(),
  }
}

/** Returns why a recording could not be started. */
export function problemOf(error: unknown): MicrophoneProblem {
  return error instanceof NoMicrophone ? error.problem : 'failed'
}

function reasonOf(error: unknown): MicrophoneProblem {
  const name = error instanceof DOMException ? error.name : ''
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'denied'
  return name === 'NotFoundError' ? 'none' : 'failed'
}

/** Level below full scale that counts as silence, in dB. */
const quietestDecibels = 60

function levelMeter(stream: MediaStream): { level: () => number; close: () => void } {
  const context = new AudioContext()
  const analyser = context.createAnalyser()
  context.createMediaStreamSource(stream).connect(analyser)
  const samples = new Float32Array(analyser.fftSize)
  return {
    level: () => {
      analyser.getFloatTimeDomainData(samples)
      const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length
      return Math.max(0, Math.min(1, 1 + (10 * Math.log10(power + 1e-12)) / quietestDecibels))
    },
    close: () => void context.close(),
  }
}
