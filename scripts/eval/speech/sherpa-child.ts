/**
 * Runs sherpa-onnx as its examples do in a separate process, for comparison. Its argument is a `SherpaSetup`. Each line
 * of standard input is a `SherpaRequest`, each line of output its result, both as JSON.
 */
import sherpa from 'sherpa-onnx-node'
import { audioSampleRateHz } from '../../../src/core/speech.ts'
import type { SherpaRequest, SherpaResult, SherpaSetup } from './sherpa.ts'

const vadWindow = 512

async function main(): Promise<void> {
  const setup: SherpaSetup = JSON.parse(process.argv[2] ?? '')
  const run = await loadAll(setup)
  for await (const line of console) {
    const request: SherpaRequest = JSON.parse(line)
    const beginMs = performance.now()
    const result = await run(request)
    const ms = performance.now() - beginMs
    const cpuMs = process.cpuUsage().user / 1000
    console.log(JSON.stringify({ ...result, ms, cpuMs } satisfies SherpaResult))
  }
}

async function loadAll({ threads, transcriber, synthesizer, diarizer }: SherpaSetup) {
  const recognizer = await sherpa.OfflineRecognizer.createAsync({
    featConfig: { sampleRate: audioSampleRateHz, featureDim: 80 },
    modelConfig: { zipformerCtc: { model: transcriber.model }, tokens: transcriber.tokens, numThreads: threads },
  })
  const synthesis = await sherpa.OfflineTts.createAsync({
    model: { vits: { model: synthesizer.model, tokens: synthesizer.tokens }, numThreads: threads },
  })
  const diarization = new sherpa.OfflineSpeakerDiarization({
    segmentation: { pyannote: { model: diarizer.segmentation }, numThreads: threads },
    embedding: { model: diarizer.embedding, numThreads: threads },
    clustering: { numClusters: -1, threshold: diarizer.threshold },
    minDurationOn: 0.2,
    minDurationOff: 0.3,
  })

  /** Decodes each piece of speech when it is found, like the examples for long files. */
  async function transcribe(path: string): Promise<string> {
    const vad = new sherpa.Vad(
      {
        sileroVad: { model: transcriber.vad, maxSpeechDuration: 28, windowSize: vadWindow },
        sampleRate: audioSampleRateHz,
        numThreads: 1,
      },
      60,
    )
    const { samples } = sherpa.readWave(path, false)
    const texts: string[] = []
    /** Keeps references to the pieces, since the library frees unreferenced ones even while it decodes them. */
    const decoding = new Set<object>()
    const decodeFound = async () => {
      for (; !vad.isEmpty(); vad.pop()) {
        const stream = recognizer.createStream()
        decoding.add(stream)
        stream.acceptWaveform({ samples: vad.front(false).samples, sampleRate: audioSampleRateHz })
        texts.push((await recognizer.decodeAsync(stream)).text)
        decoding.delete(stream)
      }
    }
    for (let at = 0; at + vadWindow <= samples.length; at += vadWindow) {
      vad.acceptWaveform(samples.subarray(at, at + vadWindow))
      await decodeFound()
    }
    vad.flush()
    await decodeFound()
    return texts.join(' ')
  }

  return async (request: SherpaRequest) => {
    if (request.kind === 'transcribe') return { texts: await Promise.all(request.paths.map(transcribe)) }
    if (request.kind === 'diarize') {
      diarization.setConfig({ clustering: { numClusters: -1, threshold: request.threshold ?? diarizer.threshold } })
      const found = diarization.process(sherpa.readWave(request.path, false).samples)
      return {
        turns: found.map(({ start, end, speaker }) => ({
          startSeconds: start,
          endSeconds: end,
          speaker: `${speaker}`,
        })),
      }
    }
    const speak = async (text: string) => {
      const { samples, sampleRate } = await synthesis.generateAsync({
        text,
        sid: 0,
        speed: 1,
        enableExternalBuffer: false,
      })
      return samples.length / sampleRate
    }
    const seconds = await Promise.all(request.texts.map(speak))
    return { audioSeconds: seconds.reduce((sum, each) => sum + each, 0) }
  }
}

await main()
