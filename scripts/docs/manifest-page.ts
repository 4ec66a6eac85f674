import type { TSchema } from '@sinclair/typebox'
import { manifestSchema } from '../../src/catalog/manifest-schema.ts'
import { neededRoles } from '../../src/catalog/speech-model-of.ts'
import { engineKinds } from '../../src/engines/engine-table.ts'
import { manifestKeys } from './manifest-keys.ts'
import { code, markdownTable } from './markdown.ts'

interface Key {
  readonly path: string
  readonly schema: TSchema
  readonly isRequired: boolean
}

/** Returns docs/reference/manifest.md: the keys of src/catalog/manifest-schema.ts. Throws if one has no meaning. */
export function manifestPage(): string {
  const keys = keysOf(manifestSchema).filter(({ path }) => !isRepeated(path))
  const unknown = Object.keys(manifestKeys).filter((path) => !keys.some((key) => key.path === path))
  if (unknown.length > 0) throw new Error(`no keys of manifests: ${unknown.join(', ')}`)
  const rows = keys.map(({ path, schema, isRequired }) => {
    const meaning = manifestKeys[path]
    if (meaning === undefined) throw new Error(`the key ${path} of manifests has no meaning in manifest-keys.ts`)
    return [code(path), isRequired ? 'yes' : '', valueWords(schema), meaning]
  })
  const kinds = Object.entries(neededRoles).map(([kind, roles]) => [code(kind), roles.map(code).join(', ')])
  return `# Manifests

Each key of a manifest, a TOML file that describes a model. A dot leads into a table or a list of tables.
[How to write one](../models.md#manifests).

${markdownTable(['Key', 'Required', 'Value', 'Meaning'], rows)}

A table with the name of the engine (\`llama\`, \`onnx\`, \`speech\`) holds [settings of the model](../operations.md#settings-of-one-model).

## Files of speech models

The roles that each kind needs. \`vits\` may also have \`data\`, \`lexicon\`, \`dict\` and \`rule\`, \`kokoro\` \`data\`, \`lexicon\` and \`dict\`, \`matcha\`
\`data\` and \`lexicon\`. For these three a file \`model\` with \`unpack = true\` is an archive with all files. A model that transcribes may
have a \`vad\` (where speech is); one with \`diarization = true\` has \`segmentation\` and \`speaker-embedding\`.

${markdownTable(['Kind', 'Roles'], kinds)}
`
}

/** Returns the end of the sentence "must be …", without the engines that are not for manifests of operators. */
function valueWords({ description = '' }: TSchema): string {
  return description.replace(', diarization', '').replace(', fake', '').replaceAll('<', '\\<')
}

/** The files for GPUs have the keys of other files; settings of engines are listed with the settings. */
function isRepeated(path: string): boolean {
  return path.startsWith('gpu_files.') || engineKinds.some((kind) => kind !== 'upstream' && path === kind)
}

function keysOf(schema: TSchema, before = ''): Key[] {
  const properties: Readonly<Record<string, TSchema>> = schema.properties ?? {}
  const required: readonly string[] = schema.required ?? []
  return Object.entries(properties).flatMap(([name, value]) => {
    const path = before + name
    return [{ path, schema: value, isRequired: required.includes(name) }, ...keysOf(value.items ?? value, `${path}.`)]
  })
}
