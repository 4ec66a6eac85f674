/** Opens llama.cpp: node-llama-cpp picks the backend and loads its libraries, our addon uses them. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Llama } from 'node-llama-cpp'
import type { EngineDevice, RuntimePaths } from '../protocol.ts'
import type { NativeAddon } from './native.ts'
import type { LlamaSettings } from './settings.ts'

/** The library itself comes from the runtime folder. */
type NodeLlamaCpp = typeof import('node-llama-cpp')

export interface LlamaRuntime {
  readonly addon: NativeAddon
  /** `cpu`, `vulkan` or `cuda`. */
  readonly backend: string
}

/** Once in a process. Throws what the libraries say when the device is not there. */
export async function openRuntime(
  runtime: Pick<RuntimePaths, 'nodeLlamaCpp' | 'addons'>,
  device: LlamaSettings['device'],
): Promise<LlamaRuntime> {
  // node-llama-cpp tries each backend in a fork of this program first; inside our executable that fork must act as Bun.
  process.env.BUN_BE_BUN = '1'
  const nodeLlamaCpp: NodeLlamaCpp = await import(runtime.nodeLlamaCpp)
  const llama = await openBackend(nodeLlamaCpp, device, runtime.addons)
  const backend = llama.gpu === false ? 'cpu' : llama.gpu
  const addonFile = join(runtime.addons, `inferd-llama.${backend}.node`)
  return { addon: loadAddon({ addonFile, nodeLlamaCppEntry: runtime.nodeLlamaCpp }), backend }
}

/** Devices of the best backend that loads. */
export async function readDevices(runtime: RuntimePaths): Promise<readonly EngineDevice[]> {
  return (await openRuntime(runtime, 'auto')).addon.devices()
}

async function openBackend(
  nodeLlamaCpp: NodeLlamaCpp,
  device: LlamaSettings['device'],
  folder: string,
): Promise<Llama> {
  try {
    return await nodeLlamaCpp.getLlama({
      build: 'never',
      skipDownload: true,
      progressLogs: false,
      // Warnings are about every full cache, which is handled.
      logLevel: nodeLlamaCpp.LlamaLogLevel.error,
      gpu: device === 'cpu' ? false : device,
    })
  } catch (error) {
    if (device === 'auto' || device === 'cpu') {
      const words = error instanceof Error ? error.message || error.name : String(error)
      throw new Error(`the native libraries in ${folder} cannot be loaded (${words}): is it on a noexec file system?`, {
        cause: error,
      })
    }
    throw new Error(
      `device '${device}' cannot be used: its driver or this program's libraries for it are missing; choose --device auto or cpu`,
      { cause: error },
    )
  }
}

interface AddonLocation {
  /** Absolute path of `inferd-llama.<backend>.node`, for the backend that node-llama-cpp has loaded. */
  readonly addonFile: string
  /** Absolute path of node-llama-cpp's `dist/index.js`. */
  readonly nodeLlamaCppEntry: string
}

/**
 * Loads the native addon into this process. node-llama-cpp's `getLlama` must have run before: the addon uses the
 * llama.cpp libraries that it loaded. Throws when the addon was compiled for other versions than those installed.
 */
export function loadAddon({ addonFile, nodeLlamaCppEntry }: AddonLocation): NativeAddon {
  const addon = openAddon(addonFile)
  const compiled = addon.compiledAgainst
  const installed = installedVersions(nodeLlamaCppEntry)
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
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${file} cannot be loaded (is node-llama-cpp's backend loaded?): ${reason}`)
  }
  return module.exports as NativeAddon // the version check stands behind this
}

function installedVersions(entry: string): NativeAddon['compiledAgainst'] {
  const root = join(dirname(entry), '..')
  const read = (...path: string[]) => JSON.parse(readFileSync(join(root, ...path), 'utf8'))
  return {
    nodeLlamaCpp: String(read('package.json').version),
    llamaCpp: String(read('llama', 'binariesGithubRelease.json').release),
  }
}

function versionText(versions: NativeAddon['compiledAgainst']): string {
  return `node-llama-cpp ${versions.nodeLlamaCpp} with llama.cpp ${versions.llamaCpp}`
}
