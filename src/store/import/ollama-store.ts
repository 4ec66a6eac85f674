import { homedir } from 'node:os'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { readTextFile, statFile } from '../../catalog/stat-file.ts'
import { jsonIn } from '../../core/json.ts'
import { ImportError, readingFile } from './found-model.ts'

export interface OllamaModel {
  readonly model: string
  readonly mmproj: string | undefined
  /** Name for the model's file, which the store names by its checksum. */
  readonly name: string
}

/** Pattern of `[host/][namespace/]name[:tag]`. No part begins with a dot. */
const namePattern = /^(?:(?:([\w-][\w.-]*)\/)?([\w-][\w.-]*)\/)?([\w-][\w.-]*?)(?::([\w-][\w.-]*))?$/
const defaults = { host: 'registry.ollama.ai', namespace: 'library', tag: 'latest' }
const maximumBytes = 1024 * 1024

const manifestFile = Type.Object({
  layers: Type.Array(Type.Object({ mediaType: Type.String(), digest: Type.String() }), { maxItems: 100 }),
})

/** Returns the folders where Ollama keeps its models by default. */
export function ollamaFolders(): readonly string[] {
  return [join(homedir(), '.ollama', 'models'), '/usr/share/ollama/.ollama/models', '/var/lib/ollama/models']
}

/** Returns the files of a model in an Ollama store. Throws ImportError. */
export function findInOllama(folder: string, name: string): OllamaModel {
  const parts = namePattern.exec(name)
  if (parts === null) throw new ImportError(`"${name}" is no name of Ollama's: [namespace/]name[:tag]`)
  const [, host = defaults.host, namespace = defaults.namespace, model = '', tag = defaults.tag] = parts
  const path = join(folder, 'manifests', host, namespace, model, tag)
  if (statFile(path) === undefined)
    throw new ImportError(`${folder} has no model ${model}:${tag} ('ollama list' shows which it has)`)
  const layers = layersIn(path)
  if (layers.some(({ mediaType }) => kindOf(mediaType) === 'adapter')) {
    throw new ImportError(`${name} has adapters, which are not served; merge them into the model`)
  }
  const files = (kind: string) =>
    layers.filter(({ mediaType }) => kindOf(mediaType) === kind).map(({ digest }) => blob(folder, digest))
  const [first, ...more] = files('model')
  if (first === undefined || more.length > 0)
    throw new ImportError(`${name} has ${more.length + (first ? 1 : 0)} model files; only one is imported`)
  return { model: first, mmproj: files('projector')[0], name: `${model}-${tag}.gguf` }
}

function kindOf(mediaType: string): string | undefined {
  return /^application\/vnd\.ollama\.image\.(\w+)/.exec(mediaType)?.[1]
}

function blob(folder: string, digest: string): string {
  const [, sum] = /^sha256:([0-9a-f]{64})$/.exec(digest) ?? []
  if (sum === undefined)
    throw new ImportError(`${folder} is damaged: a manifest names the sum ${JSON.stringify(digest.slice(0, 100))}`)
  return join(folder, 'blobs', `sha256-${sum}`)
}

function layersIn(path: string): { readonly mediaType: string; readonly digest: string }[] {
  const content = jsonIn(readingFile({ path }, () => readTextFile(path, maximumBytes)))
  if (Value.Check(manifestFile, content)) return content.layers
  throw new ImportError(`${path} ${content === undefined ? 'is not JSON' : "is no manifest of Ollama's"}`)
}
