import { engineSpawn } from '../engines/host/spawn-engine.ts'
import type { KnownMemory } from '../engines/known-memory.ts'
import { EnginePool, type EnginePoolOptions } from '../engines/pool.ts'
import type { RuntimePaths } from '../engines/protocol/backend.ts'
import { upstreamEngine } from '../engines/upstream/engine.ts'
import type { UpstreamHost } from '../engines/upstream/host.ts'
import type { MemoryReadings } from '../machine/read-memory.ts'
import { testEngineSettings } from './engine-settings.ts'
import { testedProgram } from './tested-program.ts'
import { testUpstreamHost } from './upstream/upstream-host.ts'

/** Memory far beyond the needs of tests. */
export const plentyOfMemory: MemoryReadings = { host: { totalBytes: 256e9, freeBytes: 256e9 } }

/** Memory that never changes, without recorded measurements. */
export const testMemory: KnownMemory = {
  readings: plentyOfMemory,
  read: async () => plentyOfMemory,
  recallDryRun: () => undefined,
  recordDryRun: () => undefined,
  recallStepCurves: () => [],
  recordStepCurves: () => undefined,
  recall: (_, placements) => ({ placements }),
  loaded: async () => undefined,
  ended: () => undefined,
}

/** Paths for engines that open no libraries. */
export const noRuntimePaths: RuntimePaths = {
  nodeLlamaCpp: '',
  llamaCore: '',
  addons: '',
  onnxRuntime: '',
  tokenizers: '',
  sherpaOnnx: '',
  starterVad: '',
  starterChat: '',
}

/** Returns a pool of real child processes on a machine with plenty of memory. Upstream models run in this process. */
export function testPool(options: Partial<EnginePoolOptions> = {}, upstream: Partial<UpstreamHost> = {}): EnginePool {
  const spawn = engineSpawn({ command: testedProgram, environment: {} })
  return new EnginePool({
    spawn,
    inServer: { upstream: upstreamEngine(testUpstreamHost(upstream)) },
    settings: testEngineSettings,
    runtime: async () => noRuntimePaths,
    log: () => undefined,
    memory: testMemory,
    poolSettings: {},
    queueWaitMs: 300_000,
    promptHandoverMs: 0,
    ...options,
  })
}
