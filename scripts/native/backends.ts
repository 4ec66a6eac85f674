import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

export type BackendName = 'cpu' | 'vulkan' | 'cuda'

export interface Backend {
  readonly backend: BackendName
  /** Folder with the shipped libraries. */
  readonly libraries: string
  /** File names to link with: they carry the backend's name and differ between backends. */
  readonly linked: readonly string[]
}

/** The backends whose prebuilt libraries are installed for this platform. */
export function installedBackends(nodeModules: string): Backend[] {
  const platform = `linux-${process.arch}`
  const packages: readonly [BackendName, string][] = [
    ['cpu', platform],
    ['vulkan', `${platform}-vulkan`],
    ['cuda', `${platform}-cuda`],
  ]
  return packages.flatMap(([backend, name]) => {
    const libraries = join(nodeModules, '@node-llama-cpp', name, 'bins', name)
    if (!existsSync(libraries)) return []
    const linked = readdirSync(libraries).filter((file) => /^lib(llama|ggml)\..*\.so$/.test(file))
    return [{ backend, libraries, linked: [...linked, 'libllama-common.so', 'libggml-base.so'] }]
  })
}
