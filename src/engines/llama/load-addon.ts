import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { NativeAddon } from './native.ts'

export interface AddonLocation {
  /** Absolute path of `inferd-llama.<backend>.node`, for the backend that node-llama-cpp has loaded. */
  readonly addonFile: string
  /** Absolute path of node-llama-cpp's `dist/index.js`. */
  readonly nodeLlamaCppEntry: string
}

/**
 * Loads the native addon into this process. node-llama-cpp's `getLlama` must have run before: the addon uses the
 * llama.cpp libraries that it loaded. Throws when the addon was compiled for other versions than those installed, since
 * it reads node-llama-cpp's own objects.
 */
export function loadAddon({ addonFile, nodeLlamaCppEntry }: AddonLocation): NativeAddon {
  const addon = openAddon(addonFile)
  const compiled = addon.compiledAgainst
  const installed = installedVersions(nodeLlamaCppEntry)
  if (compiled.nodeLlamaCpp !== installed.nodeLlamaCpp || compiled.llamaCpp !== installed.llamaCpp) {
    throw new Error(
      `${addonFile} was compiled for ${describe(compiled)}, but ${describe(installed)} is installed: run \`bun run native\``,
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
    throw new Error(`${file} can not be loaded (is node-llama-cpp's backend loaded?): ${reason}`)
  }
  return module.exports as NativeAddon // the version check and the probe of each model stand behind this
}

function installedVersions(entry: string): NativeAddon['compiledAgainst'] {
  const root = join(dirname(entry), '..')
  const read = (...path: string[]) => JSON.parse(readFileSync(join(root, ...path), 'utf8'))
  return {
    nodeLlamaCpp: String(read('package.json').version),
    llamaCpp: String(read('llama', 'binariesGithubRelease.json').release),
  }
}

function describe(versions: NativeAddon['compiledAgainst']): string {
  return `node-llama-cpp ${versions.nodeLlamaCpp} with llama.cpp ${versions.llamaCpp}`
}
