import type { ModelState } from '../core/model-state.ts'

type Parts = { readonly [Name in keyof ModelState]?: ModelState[Name] }

/** Returns the state of a stopped model, with the parts that matter to a test. */
export function modelState(parts: Parts = {}): ModelState {
  const state = {
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
  return state as ModelState // a test may say what does not go together
}
