/** A model's files and their sources: pull, import and bundles all end in a plan. */
import type { ModelManifest } from '../core/model.ts'

export interface PlannedFile {
  /** Part that the file plays, e.g. `model`, `mmproj`, `tokenizer`. The parts of a split model share one role. */
  readonly role: string
  /** Path below the model's folder, with `/`; of an archive, the folder that it is unpacked to. Checked: no `..`, not absolute. */
  readonly name: string
  /** `https://…`, or `file:///…` for what lies on this machine. */
  readonly address: string
  /** Source in the form of locks: `hf:org/repository/path`, an address without its query, a path. No secrets. */
  readonly source: string
  readonly bytes: number | undefined
  /** Checksum of the fetched file, 64 lower-case hexadecimal digits. Undefined means that it is computed and pinned. */
  readonly sha256: string | undefined
  /** Git blob hash (40 digits) where the source knows no sha256. */
  readonly gitBlobSha1?: string | undefined
  /** Revision of the source that the address is pinned to. */
  readonly commit?: string | undefined
  /** True if the file is an archive. */
  readonly unpack?: boolean | undefined
  /** True if only loads on a GPU use the file. */
  readonly isForGpu?: boolean
}

export interface ModelPlan {
  readonly manifest: ModelManifest
  /** Source in the operator's words: a catalog id, `hf:…`, an address. */
  readonly source: string
  readonly files: readonly PlannedFile[]
}
