import type { MemoryBytes } from '../../core/memory.ts'
import { sizeText } from '../../core/quantities.ts'
import type { Preflight } from '../../library/preflight.ts'

/** Returns the effects of a pull in words. */
export function planText(found: Preflight): string {
  const { plan, missing, roomBytes, hasUnknownLengths } = found
  const { id, license, licenseUrl } = plan.manifest
  const sums = plan.files.filter(({ sha256, gitBlobSha1 }) => sha256 === undefined && gitBlobSha1 === undefined)
  const needs = [
    ...(missing.length === 0 ? [] : [`${sizeText(roomBytes)}${hasUnknownLengths ? ' or more of' : ''} disk`]),
    ...memoryNeeds(found),
  ]
  const lines = [
    missing.length === 0 ? `${id}: all files are here` : `${id}: ${filesText(found)}`,
    ...missing.map(
      ({ name, bytes, source, isForGpu }) =>
        `  ${bytes === undefined ? '?' : sizeText(bytes)}  ${name}  from ${source}${isForGpu === true ? ', for a GPU' : ''}`,
    ),
    ...gpuLine(missing),
    ...(needs.length === 0 ? [] : [`  needs ${needs.join(' and ')}${verdict(found)}`]),
    `  licence ${license ?? 'not named'}${licenseUrl === undefined ? '' : `: ${licenseUrl}`}`,
    ...(sums.length === 0
      ? []
      : [`  no sum is known of ${sums.map(({ name }) => name).join(', ')}: what comes is pinned`]),
  ]
  return lines.map((line) => `${line}\n`).join('')
}

function gpuLine(missing: Preflight['missing']): string[] {
  const files = missing.filter(({ isForGpu }) => isForGpu === true)
  const bytes = files.reduce((sum, file) => sum + (file.bytes ?? 0), 0)
  const size = files.some((file) => file.bytes === undefined) ? 'files' : `${sizeText(bytes)} of them`
  return files.length === 0 ? [] : [`  ${size} for a GPU alone: --no-gpu-files leaves them out`]
}

function filesText({ plan, missing }: Preflight): string {
  const here = plan.files.length - missing.length
  return `${missing.length} file${missing.length === 1 ? '' : 's'} to download${here === 0 ? '' : `, ${here} here`}`
}

function memoryNeeds({ memory }: Preflight): string[] {
  return memory === undefined ? [] : memoryWords(memory.placement.needBytes)
}

function memoryWords(needBytes: MemoryBytes): string[] {
  return Object.entries(needBytes)
    .filter(([, bytes]) => bytes > 0)
    .map(([pool, bytes]) => `${sizeText(bytes)} ${pool === 'host' ? 'memory' : 'GPU memory'}`)
}

/** Returns text such as `; fits with 16k context`. */
function verdict({ memory, plan }: Preflight): string {
  if (memory === undefined) return ''
  const { fits, contextTokens, placement, budgetBytes } = memory
  if (!fits) return `; does not fit: models may have ${memoryWords(budgetBytes).join(' and ') || 'no memory'} here`
  const context = contextTokens === undefined ? '' : ` with ${contextText(contextTokens)} context`
  const set = plan.manifest.settings?.contextTokens
  const less = contextTokens !== undefined && set !== undefined && set !== contextTokens ? ` instead of ${set}` : ''
  return `; fits${context}${less} (${placement.label})`
}

function contextText(tokens: number): string {
  return tokens % 1024 === 0 ? `${tokens / 1024}k` : String(tokens)
}

/** Returns the effects of a pull as data. */
export function planToJson(
  { plan, missing, missingBytes, roomBytes, memory }: Preflight,
  diskProblem: string | undefined,
): object {
  const { manifest, source, files } = plan
  return {
    model: manifest.id,
    source,
    license: manifest.license ?? null,
    licenseUrl: manifest.licenseUrl ?? null,
    acceptLicense: manifest.acceptLicense ?? false,
    files: files.map((file) => ({
      role: file.role,
      name: file.name,
      source: file.source,
      bytes: file.bytes ?? null,
      sha256: file.sha256 ?? null,
      commit: file.commit ?? null,
      isForGpu: file.isForGpu ?? false,
      isHere: !missing.includes(file),
    })),
    missingBytes,
    roomBytes,
    diskProblem: diskProblem ?? null,
    memory:
      memory === undefined
        ? null
        : {
            fits: memory.fits,
            contextTokens: memory.contextTokens ?? null,
            placement: memory.placement.label,
            needBytes: memory.placement.needBytes,
            budgetBytes: memory.budgetBytes,
          },
  }
}
