import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadAddon } from '../engines/llama/load-model.ts'
import type { NativeAddon, NativeModel } from '../engines/llama/native.ts'
import { type TinyGgufOptions, tinyGguf } from './gguf/tiny-gguf.ts'

const root = join(import.meta.dir, '../..')
const nodeLlamaCppEntry = join(root, 'node_modules/node-llama-cpp/dist/index.js')

/** Text of a template that ships with llama.cpp. `bun run native` unpacks them. */
export function shippedTemplate(name: string): string {
  const releaseFile = join(root, 'node_modules/node-llama-cpp/llama/binariesGithubRelease.json')
  const { release } = JSON.parse(readFileSync(releaseFile, 'utf8'))
  return readFileSync(join(root, 'build', `llama.cpp-${release}`, 'models/templates', `${name}.jinja`), 'utf8')
}

export interface TemplateModels {
  readonly addon: NativeAddon
  /** A tiny random model with this template; it stays loaded. */
  load(jinja: string, options?: TinyGgufOptions): Promise<NativeModel>
  dispose(): Promise<void>
}

/** Random models with any chat template, loaded into this process. */
export async function openTemplateModels(): Promise<TemplateModels> {
  const { getLlama, LlamaLogLevel } = await import('node-llama-cpp')
  const llama = await getLlama({ build: 'never', gpu: false, logLevel: LlamaLogLevel.disabled })
  const folder = mkdtempSync(join(tmpdir(), 'inferd-templates-'))
  const addonFile = join(root, 'build/native/inferd-llama.cpu.node')
  const addon = loadAddon({ addonFile, nodeLlamaCppEntry })
  const owners: { dispose(): Promise<void> }[] = []
  return {
    addon,
    async load(jinja, options = {}) {
      const modelPath = join(folder, `${owners.length}.gguf`)
      writeFileSync(modelPath, tinyGguf({ ...options, chatTemplate: { jinja } }))
      const owner = await llama.loadModel({ modelPath })
      owners.push(owner)
      return new addon.Model(Reflect.get(owner, '_model'))
    },
    async dispose() {
      for (const owner of owners) await owner.dispose()
      await llama.dispose()
      rmSync(folder, { recursive: true })
    },
  }
}
