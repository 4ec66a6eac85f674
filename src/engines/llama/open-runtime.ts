/** Opens llama.cpp: its libraries, the backend chosen for this machine, and our addon, which uses them. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { errorText } from '../../core/error-text.ts'
import { chooseBackend } from '../backends/choose-backend.ts'
import { llamaCandidates } from '../backends/llama-candidates.ts'
import {
  type BackendCandidate,
  type BackendName,
  deviceIndices,
  type EngineDevice,
  type RuntimePaths,
} from '../protocol/backend.ts'
import type { NativeAddon } from './native.ts'
import type { LlamaSettings } from './settings.ts'

type Paths = Pick<RuntimePaths, 'nodeLlamaCpp' | 'llamaCore' | 'addons' | 'backends'>

interface LlamaRuntime {
  readonly addon: NativeAddon
  readonly backend: BackendName
  /** Devices that have been seen to compute; undefined if nobody tried them. */
  readonly computing?: readonly number[]
}

/**
 * Opens the backend that `runtime` says computes here, else the first whose library finds a device. Called once per
 * process. Throws the libraries' messages, or the reason and the next step if a named device cannot be used.
 */
export async function openRuntime(runtime: Paths, device: LlamaSettings['device']): Promise<LlamaRuntime> {
  const addon = openLibraries(runtime)
  const judged = runtime.backends?.llama
  const opened =
    judged === undefined ? { backend: openFirst(addon, runtime, device) } : openChosen(addon, judged, device)
  startOnCpu(addon, runtime)
  return { addon, ...opened }
}

/** Opens exactly one backend, for a probe. Throws the library's message if it cannot be loaded or finds no device. */
export function openCandidate(runtime: Paths, candidate: BackendCandidate): NativeAddon {
  const addon = openLibraries(runtime)
  openBackend(addon, candidate)
  startOnCpu(addon, runtime)
  return addon
}

/** Returns the devices of the backend that is chosen for them. */
export async function readDevices(runtime: RuntimePaths): Promise<readonly EngineDevice[]> {
  return (await openRuntime(runtime, 'auto')).addon.devices()
}

function openChosen(
  addon: NativeAddon,
  judged: NonNullable<NonNullable<RuntimePaths['backends']>['llama']>,
  device: LlamaSettings['device'],
): Omit<LlamaRuntime, 'addon'> {
  const choice = chooseBackend(judged, device)
  if ('problem' in choice) throw new Error(choice.problem)
  openBackend(addon, choice.backend)
  const { backend, verdict } = choice.backend
  return verdict.state === 'computes' ? { backend, computing: deviceIndices(verdict.devices) } : { backend }
}

/** Opens the first working backend if there are no verdicts, as in tests and scripts. */
function openFirst(addon: NativeAddon, runtime: Paths, device: LlamaSettings['device']): BackendName {
  const wanted = llamaCandidates(runtime).filter(({ backend }) => device === 'auto' || backend === device)
  for (const candidate of wanted) {
    try {
      openBackend(addon, candidate)
      return candidate.backend
    } catch {
      // The next one may do.
    }
  }
  throw new Error(
    `device '${device}' cannot be used: its driver or this program's libraries for it are missing; choose --device auto or cpu`,
  )
}

function openBackend(addon: NativeAddon, { library }: BackendCandidate): void {
  if (library === undefined) return
  const words = addon.loadBackend(library)
  if (words !== '') process.stderr.write(`${words}\n`)
  if (addon.devices().length === 0) throw new Error(words === '' ? 'its library finds no device' : words)
}

/** Opens llama.cpp's core from the CPU's package. It is the same for all backends. */
function openLibraries(runtime: Paths): NativeAddon {
  const core = runtime.llamaCore
  try {
    process.dlopen({ exports: {} }, core)
  } catch (error) {
    const words = error instanceof Error ? error.message || error.name : String(error)
    const problem = `the native libraries in ${runtime.addons} cannot be loaded (${words})`
    throw new Error(existsSync(core) ? `${problem}: is it on a noexec file system?` : problem, { cause: error })
  }
  const addonFile = join(runtime.addons, 'inferd-llama.cpu.node')
  return loadAddon({ addonFile, nodeLlamaCpp: runtime.nodeLlamaCpp })
}

function startOnCpu(addon: NativeAddon, runtime: Paths): void {
  addon.loadBackends(dirname(runtime.llamaCore))
  addon.start()
}

interface AddonLocation {
  /** Absolute path of `inferd-llama.cpu.node`. */
  readonly addonFile: string
  /** Absolute path of node-llama-cpp's `package.json`. */
  readonly nodeLlamaCpp: string
}

/**
 * Loads the native addon into this process, which must have loaded llama.cpp's libraries. Throws if the addon was
 * compiled for other versions than the installed ones.
 */
export function loadAddon({ addonFile, nodeLlamaCpp }: AddonLocation): NativeAddon {
  const addon = openAddon(addonFile)
  const compiled = addon.compiledAgainst
  const installed = installedVersions(nodeLlamaCpp)
  if (compiled.nodeLlamaCpp !== installed.nodeLlamaCpp || compiled.llamaCpp !== installed.llamaCpp) {
    throw new Error(
      `${addonFile} was compiled for ${versionText(compiled)}, but ${versionText(installed)} is installed: run \`bun run native\``,
    )
  }
  return addon
}

function openAddon(file: string): NativeAddon {
  const module = { exports: {} }
  try {
    process.dlopen(module, file)
  } catch (error) {
    const reason = errorText(error)
    throw new Error(`${file} cannot be loaded (are llama.cpp's libraries loaded?): ${reason}`)
  }
  return module.exports as NativeAddon // the caller checks the version
}

function installedVersions(packageFile: string): NativeAddon['compiledAgainst'] {
  const read = (...path: string[]) => JSON.parse(readFileSync(join(dirname(packageFile), ...path), 'utf8'))
  return {
    nodeLlamaCpp: String(read('package.json').version),
    llamaCpp: String(read('llama', 'binariesGithubRelease.json').release),
  }
}

function versionText(versions: NativeAddon['compiledAgainst']): string {
  return `node-llama-cpp ${versions.nodeLlamaCpp} with llama.cpp ${versions.llamaCpp}`
}
