import type { EngineStatus } from '../engines/model-engine.ts'

/** The status of an engine that does nothing, of which a test says only what matters to it. */
export function engineStatus(parts: Partial<EngineStatus> = {}): EngineStatus {
  return {
    modelId: 'a/b',
    state: 'stopped',
    pid: undefined,
    info: undefined,
    restarts: 0,
    lastExit: undefined,
    failedLoad: undefined,
    failedLoadCode: undefined,
    lastFailure: undefined,
    retryInMs: undefined,
    running: 0,
    waiting: 0,
    longestWaitMs: 0,
    isPinned: false,
    unloadsInMs: undefined,
    loadedFraction: undefined,
    isCompiling: false,
    backend: undefined,
    loadingMs: undefined,
    placement: undefined,
    estimatedBytes: undefined,
    reservedBytes: {},
    usedBytes: undefined,
    promptBytes: 0,
    loads: 0,
    loadTimes: undefined,
    stops: {},
    ...parts,
  }
}
