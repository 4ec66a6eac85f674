import type { Command } from 'commander'
import type { Backends } from '../../engines/backends/backends.ts'
import type { BackendVerdict, JudgedBackend } from '../../engines/protocol/backend.ts'
import { findNvidiaLibraries } from '../../nvidia/find-libraries.ts'
import { askServer } from '../control-client.ts'
import type { Io } from '../io.ts'
import { configOf } from '../options.ts'
import { type OperationAnswer, operationTarget, perform } from '../perform.ts'

/** Time limit of probing all backends. Each probe may compile kernels for a card. */
const patienceMs = 15 * 60_000
/** Time limit of trying the untried backends: more than a server takes, and less than the doctor waits. */
const triedPatienceMs = 18_000

/** Returns the running server's verdicts on its backends; without a server, the untried backends on this disk. */
export async function knownBackends(command: Command, io: Io): Promise<readonly JudgedBackend[]> {
  const target = operationTarget(command, io)
  if ((await askServer(target.dataDir)) !== undefined) {
    const known = await perform(target, 'gpu-report', {})
    if (known.length > 0) return known.map(fromJson)
  }
  const backends = await ownBackends(command, io)
  await backends.runtime('cpu')
  return backends.report()
}

/**
 * Returns the backends after probing the untried ones that a load would try: in the running server, else in this
 * process. Settles within some seconds.
 */
export async function triedBackends(command: Command, io: Io): Promise<readonly JudgedBackend[]> {
  const target = operationTarget(command, io, triedPatienceMs)
  if ((await askServer(target.dataDir)) !== undefined)
    return (await perform(target, 'gpu-report', { try: true })).map(fromJson)
  // Messages are dropped, since the caller prints the verdicts.
  const backends = await ownBackends(command, io, () => undefined)
  try {
    return await backends.tried()
  } finally {
    backends.stop()
  }
}

/** Probes every backend: in the running server, else in this process. */
export async function probeBackends(command: Command, io: Io): Promise<readonly JudgedBackend[]> {
  return (await probeByServer(command, io)) ?? (await ownBackends(command, io)).probeAll()
}

/** Asks the running server to probe every backend; undefined if no server runs. */
export async function probeByServer(command: Command, io: Io): Promise<readonly JudgedBackend[] | undefined> {
  const target = operationTarget(command, io, patienceMs)
  if ((await askServer(target.dataDir)) === undefined) return undefined
  return (await perform(target, 'gpu-probe', {})).map(fromJson)
}

/** Restores undefined, which JSON lacks. */
function fromJson({ library, verdict, ...rest }: OperationAnswer<'gpu-report'>[number]): JudgedBackend {
  return { ...rest, verdict: verdictFrom(verdict), ...(typeof library === 'string' && { library }) }
}

function verdictFrom(told: OperationAnswer<'gpu-report'>[number]['verdict']): BackendVerdict {
  if (told.state === 'fails') return { ...told, mayPass: told.mayPass === true }
  if (told.state !== 'computes') return told
  const { failing, ...verdict } = told
  const devices = told.devices.map(({ name, index }) => ({ name, ...(typeof index === 'number' && { index }) }))
  return { ...verdict, devices, ...(Array.isArray(failing) && { failing }) }
}

async function ownBackends(
  command: Command,
  io: Io,
  log: (message: string) => void = (message) => io.error(`${message}\n`),
): Promise<Backends> {
  const config = configOf(command, io)
  const [{ Backends }, { backendCandidates }, { machineFacts }, spawning, { runtimePaths }, { engineEnvironment }] =
    await Promise.all([
      import('../../engines/backends/backends.ts'),
      import('../../engines/backends/candidates.ts'),
      import('../../engines/backends/machine-facts.ts'),
      import('../../engines/host/spawn-engine.ts'),
      import('../../engines/runtime/runtime-paths.ts'),
      import('../../config/engine-environment.ts'),
    ])
  const environment = engineEnvironment(config)
  return new Backends({
    spawn: spawning.engineSpawn({ command: spawning.ownCommand(), environment }),
    runtime: () => runtimePaths(config.data),
    candidates: backendCandidates,
    facts: machineFacts(environment),
    missingLibraries: (use) =>
      findNvidiaLibraries({ dataDir: config.data, named: config.nvidiaLibraries, environment: io.environment }).missing[
        use
      ],
    // No results are remembered: the database belongs to the server.
    remembered: { recall: () => undefined, record: () => undefined },
    log: (_level, message) => log(message),
  })
}
