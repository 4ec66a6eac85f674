/** Used part of sherpa-onnx-node, which has no types that TypeScript reads. */
declare module 'sherpa-onnx-node' {
  interface Wave {
    readonly samples: Float32Array
    readonly sampleRate: number
  }
  interface Stream {
    acceptWaveform(wave: Wave): void
  }
  interface Recognizer {
    createStream(): Stream
    decodeAsync(stream: Stream): Promise<{ readonly text: string }>
  }
  interface Synthesis {
    generateAsync(request: object): Promise<Wave>
  }
  interface Detector {
    acceptWaveform(samples: Float32Array): void
    flush(): void
    isEmpty(): boolean
    front(enableExternalBuffer: boolean): { readonly samples: Float32Array }
    pop(): void
  }
  interface Diarization {
    setConfig(config: object): void
    process(samples: Float32Array): { readonly start: number; readonly end: number; readonly speaker: number }[]
  }
  const sherpa: {
    readonly OfflineRecognizer: { createAsync(config: object): Promise<Recognizer> }
    readonly OfflineTts: { createAsync(config: object): Promise<Synthesis> }
    readonly Vad: new (config: object, bufferSeconds: number) => Detector
    readonly OfflineSpeakerDiarization: new (config: object) => Diarization
    readWave(path: string, enableExternalBuffer: boolean): Wave
  }
  export default sherpa
}
