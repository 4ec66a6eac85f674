import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

export interface LlamaLibraries {
  /** Absolute path of the folder with llama.cpp's shipped libraries. */
  readonly folder: string
  /** Names of the files to link with. */
  readonly linked: readonly string[]
}

/** Returns llama.cpp's libraries for the CPU, which serve every backend. Throws if they are not installed. */
export function llamaLibraries(nodeModules: string): LlamaLibraries {
  const platform = `linux-${process.arch}`
  const folder = join(nodeModules, '@node-llama-cpp', platform, 'bins', platform)
  if (!existsSync(folder)) throw new Error(`${folder} is not there: run \`bun install\``)
  const versioned = readdirSync(folder).filter((file) => /^lib(llama|ggml)\..*\.so$/.test(file))
  return { folder, linked: [...versioned, 'libllama-common.so', 'libggml-base.so'] }
}
