import { shippedManifests } from '../../models/index.ts'
import { parseManifest } from '../../src/catalog/parse-manifest.ts'
import type { ModelManifest } from '../../src/core/model.ts'
import { code, markdownTable } from './markdown.ts'

/** Returns docs/reference/catalog.md: the manifests of models/. */
export function catalogPage(): string {
  const rows = shippedManifests.map(({ file, content }) => rowOf(parseManifest(file, content)))
  return `# Catalog

Models that inferd knows. \`inferd pull ID\` downloads one; the starter models are part of the program. \`inferd list\` shows which are here.

${markdownTable(['Model', 'Type', 'Download', 'Reads', 'Licence', 'Aliases', 'Notes'], rows)}
`
}

function rowOf(manifest: ModelManifest): string[] {
  const { id, type, files, contextLength, license = '', aliases } = manifest
  const bytes = files.reduce((sum, file) => sum + (file.sizeBytes ?? 0), 0)
  const isSized = files.length > 0 && files.every((file) => file.sizeBytes !== undefined)
  return [
    code(id),
    type,
    isSized ? size(bytes) : '',
    contextLength === undefined ? '' : `${contextLength.toLocaleString('en-US')} tokens`,
    license,
    aliases.map((alias) => code(alias.id)).join(', '),
    notesOf(manifest).join('; '),
  ]
}

function size(bytes: number): string {
  return bytes < 1e9 ? `${Math.round(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`
}

/** Returns the reason to take the model, and facts. Counts of languages and voices stand in for a missing reason. */
function notesOf({ why, dimensions, transcriber, synthesizer, capabilities }: ModelManifest): string[] {
  const counts = [
    transcriber === undefined ? '' : languages(transcriber.languages ?? []),
    capabilities.diarization === true ? 'labels speakers' : '',
    synthesizer === undefined ? '' : `${synthesizer.voices.length} voices`,
  ]
  return [
    ...(why === undefined ? counts : [why]),
    dimensions === undefined ? '' : `${dimensions.toLocaleString('en-US')} dimensions`,
    transcriber?.kind ?? synthesizer?.kind ?? '',
  ].filter((note) => note !== '')
}

function languages(codes: readonly string[]): string {
  return codes.length > 6 ? `${codes.length} languages` : codes.join(', ')
}
