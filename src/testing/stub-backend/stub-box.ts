/** A machine with stubs instead of NVIDIA's libraries, a driver and a card that are only names, and its backends. */

import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { Backends, type BackendsOptions } from '../../engines/backends/backends.ts'
import { backendCandidates } from '../../engines/backends/candidates.ts'
import { machineFacts } from '../../engines/backends/machine-facts.ts'
import { engineSpawn } from '../../engines/host/spawn-engine.ts'
import type { CudaCode } from '../../machine/cuda-code.ts'
import { testedProgram } from '../tested-program.ts'
import { type StubBuilds, stubRuntime } from './stub-backend.ts'

const card = { uuid: 'GPU-1', name: 'H200', driver: '570.86.15', computeCapability: '9.0', migMode: 'Disabled' }

export interface StubBoxOptions extends Partial<BackendsOptions> {
  /** While this file exists, `DIES_LATER` dies. */
  readonly diesFile?: string
  readonly driver?: string
  /** CUDA architectures that the stubs claim to have code for. */
  readonly code?: CudaCode
  readonly hasGpu?: boolean
  readonly onProbe?: () => void
}

/** Creates the machine, with its files below `folder`. `lines` receive the log of the backends. */
export async function stubBox(folder: string, builds: StubBuilds, options: StubBoxOptions = {}) {
  const { diesFile, code, driver = card.driver, hasGpu = true, onProbe = () => undefined, ...others } = options
  const runtime = await stubRuntime(mkdtempSync(join(folder, 'box-')), builds, diesFile)
  const lines: string[] = []
  let probes = 0
  const spawn = engineSpawn({ command: testedProgram, environment: {} })
  const signs = hasGpu ? { nvidiaDriver: driver, hasLibcuda: true } : { hasLibcuda: false }
  const facts = machineFacts(
    {},
    () => ({ ...signs, hasRenderer: false }),
    async () => Array.from({ length: builds.devices ?? 1 }, (_, index) => ({ ...card, driver, uuid: `GPU-${index}` })),
  )
  const backends = new Backends({
    spawn: (...asked) => {
      probes++
      const child = spawn(...asked)
      onProbe()
      return child
    },
    runtime: async () => runtime,
    candidates: backendCandidates,
    facts: code === undefined ? facts : { ...facts, codeOf: () => code },
    remembered: { recall: () => undefined, record: () => undefined },
    log: (_level, message) => void lines.push(message),
    ...others,
  })
  return { backends, runtime, spawn, lines, probes: () => probes }
}
