/** Check of a pull before its first byte: the disk and memory that it needs, and whether they are free. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { GgufFiles } from '../catalog/gguf-file.ts'
import type { GgufHeader } from '../catalog/gguf-header.ts'
import { modelFolder } from '../catalog/locate-files.ts'
import type { Config } from '../config/config.ts'
import type { MemoryBytes } from '../core/memory.ts'
import type { InstalledModel, ModelManifest } from '../core/model.ts'
import { engineProblem, engineTable } from '../engines/engine-table.ts'
import { type EstimateOptions, estimatePlacements } from '../engines/estimate.ts'
import { askDevices } from '../engines/host/ask-devices.ts'
import { engineSpawn, ownCommand } from '../engines/host/spawn-engine.ts'
import { type MemoryOutlook, memoryBudget, memoryOutlook } from '../engines/memory-outlook.ts'
import { settingsOf } from '../engines/model-settings.ts'
import { LoadError } from '../engines/protocol/load-error.ts'
import { runtimePaths } from '../engines/runtime/runtime-paths.ts'
import { maximumTokens } from '../engines/shared/shared-settings.ts'
import { memoryReader } from '../machine/read-memory.ts'
import { partPath } from '../store/download/part-file.ts'
import { eachOf } from '../store/each-of.ts'
import type { ModelPlan, PlannedFile } from '../store/plan.ts'
import { promisedToOthers, readDiskRoom, roomProblem } from '../store/pull/disk-room.ts'
import { missingFiles } from '../store/pull/pull-model.ts'
import { readRemoteHeader } from '../store/pull/remote-header.ts'
import { makeStandIns } from '../store/pull/stand-in-files.ts'
import type { WebClient } from '../store/web/web-client.ts'

export interface Preflight {
  /** The plan, completed from the model's header. */
  readonly plan: ModelPlan
  readonly missing: readonly PlannedFile[]
  /** Bytes to fetch. */
  readonly missingBytes: number
  /** Bytes of disk space that the pull needs, including unpacked files. */
  readonly roomBytes: number
  /** True if the length of any file is unknown. */
  readonly hasUnknownLengths: boolean
  /** Hints of the engine for the operator. */
  readonly remarks: readonly string[]
  /** Memory need of the model. Undefined if only the complete files tell it. */
  readonly memory: (MemoryOutlook & { readonly budgetBytes: MemoryBytes }) | undefined
}

export interface PreflightOptions {
  readonly config: Config
  readonly client: WebClient
  readonly signal: AbortSignal
}

/** Disk space of an archive by its size: the archive and its content, which is half as large again, exist together. */
const unpackedFactor = 2.5

/** Headers that are read at once. */
const headersAtOnce = 4

/**
 * Returns the needs of a pull without fetching its files. Throws WebError if a source does not answer, and FileError if
 * a file has the wrong format.
 */
export async function preflight(plan: ModelPlan, options: PreflightOptions): Promise<Preflight> {
  const missing = missingFiles(plan, options.config.data)
  const folder = modelFolder(options.config.data, plan.manifest.id)
  const found = {
    missing,
    missingBytes: missing.reduce((sum, { bytes = 0 }) => sum + bytes, 0),
    roomBytes: missing.reduce((sum, file) => sum + roomFor(file, folder), 0),
    hasUnknownLengths: missing.some(({ bytes }) => bytes === undefined),
  }
  const { readsGguf } = engineTable[plan.manifest.engine]
  const isWhole = missing.length === plan.files.length
  const canTell = isWhole && engineProblem(plan.manifest.engine) === undefined && !found.hasUnknownLengths
  if (!canTell) return { ...found, plan, remarks: [], memory: undefined }
  const beginnings = readsGguf ? await readBeginnings(plan.files, options) : new Map<string, Uint8Array>()
  await using standIns = await makeStandIns(plan.files, beginnings)
  const { filePaths, gpuFilePaths } = standIns
  const { model, mmproj } = filePaths
  // Only headers can be read: the rest of these files is empty.
  const gguf = new GgufFiles()
  const header = readsGguf && model !== undefined ? gguf.checkChatModel(model) : undefined
  if (readsGguf && mmproj !== undefined) gguf.checkProjector(mmproj, plan.manifest)
  const manifest = header === undefined ? plan.manifest : withHeader(plan.manifest, header)
  const remarks = new Set<string>()
  const onRemark = (remark: string) => void remarks.add(remark)
  const memory = await outlookOf({ manifest, filePaths, gpuFilePaths }, { ...options, onRemark })
  return { ...found, plan: { ...plan, manifest }, remarks: [...remarks], memory }
}

/** Returns the space that a file still needs. A begun part already has its space. */
function roomFor({ name, bytes = 0, unpack }: PlannedFile, folder: string): number {
  if (unpack === true) return bytes * unpackedFactor
  const part = statSync(partPath(join(folder, name)), { throwIfNoEntry: false })
  return Math.max(bytes - (part?.blocks ?? 0) * 512, 0)
}

async function readBeginnings(
  files: readonly PlannedFile[],
  { client, signal }: PreflightOptions,
): Promise<Map<string, Uint8Array>> {
  const gguf = files.filter(({ name }) => name.endsWith('.gguf'))
  return new Map(
    await eachOf(gguf, headersAtOnce, async (file): Promise<[string, Uint8Array]> => {
      return [file.name, await readRemoteHeader(client, file, signal)]
    }),
  )
}

/** Returns the manifest with missing fields filled in from the file's header. */
function withHeader(manifest: ModelManifest, { contextLength, license }: GgufHeader): ModelManifest {
  const isLength = contextLength !== undefined && Number.isInteger(contextLength) && contextLength > 0
  return {
    ...manifest,
    contextLength: manifest.contextLength ?? (isLength ? Math.min(contextLength, maximumTokens) : undefined),
    license: manifest.license ?? (/^\S{1,200}$/.test(license ?? '') ? license : undefined),
  }
}

async function outlookOf(
  model: InstalledModel,
  { config, signal, onRemark }: PreflightOptions & Pick<EstimateOptions, 'onRemark'>,
): Promise<Preflight['memory']> {
  const { data, engineEnvironment: environment, memoryLimitBytes, memoryKeepBytes } = config
  const runtime = () => runtimePaths(data)
  const spawn = engineSpawn({ command: ownCommand(), environment })
  const readings = await memoryReader({ environment, otherDevices: () => askDevices(spawn, runtime) })()
  const budgetBytes = memoryBudget(readings, {
    ...(memoryLimitBytes === undefined ? {} : { limitBytes: memoryLimitBytes }),
    ...(memoryKeepBytes === undefined ? {} : { keepBytes: memoryKeepBytes }),
  })
  const { manifest, ...files } = model
  const placementsWith = (contextTokens: number | undefined) => {
    const settings = contextTokens === undefined ? manifest.settings : { ...manifest.settings, contextTokens }
    const asked = { manifest: { ...manifest, settings }, ...files }
    return estimatePlacements(asked, { spawn, settings: config, runtime, budgetBytes, onRemark }, signal)
  }
  const { contextTokens } = settingsOf(manifest, { contextTokens: config.contextTokens })
  const hasContext = 'context-tokens' in engineTable[manifest.engine].settings
  try {
    const set = hasContext && typeof contextTokens === 'number' ? contextTokens : undefined
    return { ...(await memoryOutlook(model, { budgetBytes, contextTokens: set, placementsWith })), budgetBytes }
  } catch (error) {
    // Some engines can estimate only from complete files.
    if (error instanceof LoadError) return undefined
    throw error
  }
}

/** Returns why the disk is too small for all these pulls together; undefined if it is not. */
export async function diskProblem(found: readonly Preflight[], { data }: Config): Promise<string | undefined> {
  const missing = found.flatMap((each) => each.missing)
  const ids = found.map(({ plan }) => plan.manifest.id)
  const need = {
    missingBytes: found.reduce((sum, { roomBytes }) => sum + roomBytes, 0),
    largestFileBytes: Math.max(0, ...missing.map(({ bytes = 0 }) => bytes)),
    promisedBytes: promisedToOthers(data, ids),
  }
  return roomProblem(need, await readDiskRoom(data))
}
